"""The tables of the runtime's manual, and the rows of the decisions about what it leaves open.

Data, written down a second time: the tests compare the bundle with it, so that no row gets lost.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ALIASES",
    "CAPABILITIES",
    "CATALOGUE",
    "DECISIONS",
    "DEFAULTS",
    "HEADINGS",
    "PROFILES",
    "RISK_LEVELS",
    "SECURITY_PROFILES",
    "Entry",
    "Restrictions",
]


class Entry(NamedTuple):
    """A row of the catalogue. `manual`: it stands in the manual, not only in decision D16."""

    description: str
    capabilities: list[str]
    risk: str
    manual: bool


class Restrictions(NamedTuple):
    """What a security profile takes away, and what it leaves nevertheless."""

    tools: set[str]
    capabilities: set[str]
    keep: set[str]


RISK_LEVELS = ["read_only", "write", "exec", "dangerous"]

_MANUAL = """
read_only
read_file         Read file contents            fs.read
list_dir          List directory contents       fs.read
search_files      Search file contents          fs.read
knowledge_search  Knowledge base retrieval      knowledge.read
session_search    Search conversation history   session.read
skills_list       List installed skills         skill.read
skill_view        View skill details            skill.read
agents_list       Reserved name; not currently implemented/callable
agents_route      Reserved name; not currently implemented/callable
web_fetch         Fetch web page content        network.outbound
web_search        Web search                    network.outbound
vision_analyze    Image analysis                media.read
read_spill        Read spilled content          fs.read
write
write_file        Write file                    fs.write
edit_file         Edit file                     fs.read, fs.write
patch             Patch-style file modification  fs.read, fs.write
knowledge_index   Build knowledge base index    knowledge.write, fs.read
todo              Task list management          task.write
task              Task creation and scheduling  task.write
workflow          Workflow orchestration        workflow.write
notify            Send notification             message.send
message           Send message                  message.send
clarify           Ask user for clarification    message.ask
memory            Memory read/write             memory.read, memory.write
image_generate    Generate images               media.generate, network.outbound
text_to_speech    Text-to-speech synthesis      media.generate, network.outbound
exec
exec              Execute process/command       process.exec
execute_code      Execute code snippets         code.exec, process.exec
process           Process management (spawn/signal/stdin)  process.exec, process.manage
delegate_task     Delegate task to sub-agent
spawn_task        Spawn background sub-agent task
dangerous
cronjob           Create/manage scheduled jobs  scheduler.write
skill_install     Install external skill packages  skill.install, network.outbound, fs.write
skill_manage      Manage/delete skills          skill.write, fs.write
"""

_DECISION_16 = """
exec
skill_run           Run a script of an installed skill  process.exec
browser             Drive a web browser  network.outbound
read_only
send_file           Send an artifact to the user  fs.read, message.send
read_document       Read a document (PDF, Word, spreadsheet)  fs.read
evolution_status    Show what the agent changed about itself
dangerous
evolution_run       Let the agent change its own prompts and skills
evolution_rollback  Undo a change the agent made to itself
"""


def _entries(text: str, manual: bool) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    risk = ""
    for line in text.strip().splitlines():
        name, *rest = (part.strip() for part in line.split("  ") if part.strip())
        if not rest:
            risk = name
            continue
        capabilities = rest[1].split(", ") if len(rest) > 1 else []
        entries[name] = Entry(rest[0], capabilities, risk, manual)
    return entries


CATALOGUE = _entries(_MANUAL, True) | _entries(_DECISION_16, False)

ALIASES = {"bash": "exec", "shell": "exec", "run_code": "execute_code", "code": "execute_code"}

CAPABILITIES = {
    "fs.read": "Filesystem read",
    "fs.write": "Filesystem write",
    "process.exec": "Process execution",
    "process.manage": "Process management (signal/stdin)",
    "code.exec": "Code execution",
    "network.outbound": "Outbound network requests",
    "scheduler.write": "Scheduled job creation",
    "skill.install": "Skill installation",
    "skill.write": "Skill management",
    "skill.read": "Skill viewing",
    "workflow.write": "Workflow orchestration",
    "memory.read": "Memory read",
    "memory.write": "Memory write",
    "message.send": "Message sending",
    "message.ask": "User prompting",
    "media.generate": "Media generation",
    "media.read": "Media analysis",
    "knowledge.read": "Knowledge base retrieval",
    "knowledge.write": "Knowledge base indexing",
    "session.read": "Session retrieval",
    "task.write": "Task management",
    "agent.read": "Agent listing",
    "agent.dispatch": "Agent routing",
    "mcp.call": "MCP tool invocation",
}


def _words(text: str) -> set[str]:
    return set(text.split())


_MINIMAL = _words(
    "agents_list agents_route clarify knowledge_search list_dir message notify read_file read_spill"
    " search_files session_search skill_view skills_list todo"
)
_MESSAGING = _MINIMAL | {"image_generate", "memory", "text_to_speech", "vision_analyze"}
_CODING = _MESSAGING | _words("edit_file knowledge_index patch task workflow write_file")

PROFILES = {
    "minimal": _MINIMAL,
    "messaging": _MESSAGING,
    "coding": _CODING,
    "full": set(CATALOGUE),
}

SECURITY_PROFILES = {
    "personal_cli": Restrictions(set(), set(), set()),
    "daemon": Restrictions(
        _words("exec execute_code process skill_install skill_run"),
        _words("code.exec process.exec process.manage skill.install mcp.call"),
        set(),
    ),
    "public_gateway": Restrictions(
        _words(
            "cronjob exec execute_code process skill_install skill_manage edit_file knowledge_index"
            " patch workflow write_file skill_run browser"
        ),
        _words(
            "code.exec fs.write process.exec process.manage scheduler.write skill.install"
            " skill.write workflow.write mcp.call"
        ),
        {"send_file", "read_document"},
    ),
}

DEFAULTS = {
    "tools.profile": "full",
    "tools.allow": [],
    "tools.also_allow": [],
    "tools.deny": [],
    "tools.restrict_to_workspace": False,
    "tools.safe_write_root": "",
    "tools.exec.enabled": True,
    "tools.exec.host": "sandbox",
    "tools.exec.security": "allowlist",
    "tools.exec.ask": "on_miss",
    "tools.exec.allowed_commands": [],
    "tools.exec.blocked_commands": [],
    "tools.exec.safe_bins": sorted(
        _words("awk cat date echo find grep head ls pwd rg sed sort tail tr uniq wc")
    ),
    "tools.code_exec.enabled": True,
    "tools.code_exec.timeout": 30,
    "tools.code_exec.languages": ["python", "javascript", "bash"],
    "tools.browser.enabled": True,
    "tools.web.enabled": True,
    "tools.web.timeout": 30,
    "tools.web.search_provider": "brave",
    "tools.web.search_api_key": "",
    "tools.web.allow_private_addresses": False,
    "tools.mcp.enabled": True,
    "tools.mcp_security_policy": "block",
    "execution.default_executor": "local",
    "execution.network_policy": "allow",
    "permissions.admin_users": [],
    "permissions.elevated.enabled": False,
    "permissions.elevated.allow_from": {},
    "permissions.approval.mode": "smart",
    "permissions.approval.cli_auto_approve": True,
    "permissions.approval.trusted_channels": [],
    "permissions.approval.auto_approve": [],
    "permissions.approval.auto_deny": [],
    "permissions.approval.default_policy": "approve",
    "permissions.approval.unattended_policy": "deny",
    "permissions.approval.wait_timeout_seconds": 300,
    "permissions.approval.smart_model": "",
    "permissions.approval.require_approval": ["cronjob", "skill_install", "skill_manage"],
    "security.profile": "personal_cli",
}

DECISIONS = [
    "D1 auto_deny",
    "D2 DANGEROUS",
    "D3 mode off",
    "soft blocks",
    "exec settings",
    "D4 CLI auto-approve",
    "D5 admin_users",
    "D6 session_search, vision_analyze",
    "D7 internal addresses",
    "account files",
    "D8 aliases",
    "D9 spelling",
    "nested",
    "unattended",
    "allow_safe",
    "D10 nested elevation",
    "D11 reviewer",
    "D12 execute_code",
    "D13 inspection",
    "D14 diagnosis",
    "D16 catalogue",
    "D18, D19",
    "unknown tools",
    "declared values",
    "risk by arguments",
    "V1 daemon",
    "V2 explicit allow",
    "V3 public_gateway",
    "V4 profiles",
    "network restricted",
    "MCP risk",
    "call time",
    "allowed_tools",
    "reload",
    "require_approval, default_policy",
    "defaults",
]

HEADINGS = [
    "Tools & Permissions",
    "Tool Base Class",
    "Complete Tool Catalog",
    "Read-Only Tools (read_only)",
    "Write Tools (write)",
    "Execution Tools (exec)",
    "Dangerous Tools (dangerous)",
    "Risk Levels",
    "Fail-safe escalation",
    "Approval Flow",
    "ToolExecutionContext",
    "Key Fields",
    "DANGEROUS tools always denied when unattended",
    "Configuration",
    "Tool Profiles",
    "Allow/Deny Lists",
    "Security Profiles",
    "Network Policy",
    "Approval Configuration",
    "Matching rules",
    "Workspace Restrictions",
    "Smart Approval (LLM Pre-screening)",
    "Code Examples",
    "Custom Tool",
    "Using Context for Permission Checks",
    "Tool Policy Configuration (config.yaml)",
    "Security Guards",
    "Hard Blocks",
    "Soft Blocks (Approval Required)",
    "SSRF Protection",
    "Capability Declarations",
    "Diagnose skill files, execution and web access",
]
