"""Code in other languages than the shell's: what it would do, as far as its text tells. Imported
where there is some: most calls hold none."""
