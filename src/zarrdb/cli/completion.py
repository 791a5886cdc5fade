"""The completion files of bash, zsh and fish, from the commands' own parameters.

The files are static: completing never starts Python.
"""

from collections.abc import Iterator

from zarrdb.cli.app import COMMANDS, build, root
from zarrdb.cli.output import write_text
from zarrdb.cli.parser import Flag, flags
from zarrdb.errors import UsageError

_BASH = """\
# Completion of zarrdb for bash.
_zarrdb() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --color) ((i++)) ;;
            -*) ;;
            *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $command:$prev in
%(values)s
    esac
    case $command in
%(options)s
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W '%(commands)s' -- "$cur")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _zarrdb zarrdb
"""

_ZSH = """\
#compdef zarrdb
# Completion of zarrdb for zsh.
_zarrdb() {
    local state
    local -a commands=(
%(commands)s
    )
    _arguments -C \\
%(root)s \\
        '1:command:->command' \\
        '*::argument:->argument'
    case $state in
        command) _describe command commands ;;
        argument)
            case $words[1] in
%(options)s
            esac
            ;;
    esac
}
if [[ $funcstack[1] == _zarrdb ]]; then
    _zarrdb "$@"
else
    compdef _zarrdb zarrdb
fi
"""


def print_completion(shell: str) -> int:
    """Print the file for a shell; raises UsageError for one that is not known."""
    write_text(render(shell))
    return 0


def render(shell: str) -> str:
    """The text of the completion file for `bash`, `zsh` or `fish`."""
    if shell not in ("bash", "zsh", "fish"):
        raise UsageError(f"no completion for `{shell}`", hint="there is bash, zsh and fish")
    commands = {"": flags(root()), **{name: flags(build(name)) for name in COMMANDS}}
    if shell == "bash":
        return _bash(commands)
    return _zsh(commands) if shell == "zsh" else "\n".join(_fish(commands)) + "\n"


def _bash(commands: dict[str, list[Flag]]) -> str:
    values = []
    for command, options in commands.items():
        for flag in options:
            if flag.takes:
                pattern = "|".join(f"{command}:{name}" for name in flag.names)
                values.append(f"        {pattern}) {_bash_values(flag.takes)} ;;")
    lines = [
        f"        {command or _quoted('')}) words='{_words(options)}' ;;"
        for command, options in commands.items()
    ]
    return _BASH % {
        "values": "\n".join(values),
        "options": "\n".join(lines),
        "commands": " ".join(COMMANDS),
    }


def _bash_values(takes: str) -> str:
    if takes == "text":
        return "return"
    if takes in ("file", "dir"):
        action = "-f" if takes == "file" else "-d"
        prefix = "compopt -o filenames; "
    else:
        action, prefix = f"-W '{takes}'", ""
    return f'{prefix}mapfile -t COMPREPLY < <(compgen {action} -- "$cur"); return'


def _words(options: list[Flag]) -> str:
    return " ".join(name for flag in options for name in flag.names)


def _zsh(commands: dict[str, list[Flag]]) -> str:
    described = [
        "        " + _quoted(f"{name}:{entry.summary.rstrip('.')}")
        for name, entry in COMMANDS.items()
    ]
    cases = []
    for command in COMMANDS:
        specs = [f"                    {spec}" for spec in _zsh_specs(commands[command])]
        specs.append("                    '*:file:_files'")
        cases.append(f"                {command})\n                    _arguments -s \\")
        cases.append(" \\\n".join(specs) + "\n                    ;;")
    return _ZSH % {
        "commands": "\n".join(described),
        "root": " \\\n".join(f"        {spec}" for spec in _zsh_specs(commands[""])),
        "options": "\n".join(cases),
    }


def _zsh_specs(options: list[Flag]) -> Iterator[str]:
    for flag in options:
        text = flag.help.rstrip(".").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
        value = {
            "": "",
            "text": ":value:",
            "file": ":file:_files",
            "dir": ":directory:_files -/",
        }.get(flag.takes, f":value:({flag.takes})")
        rest = _quoted(f"[{text}]{value}")
        if flag.many:
            yield from (_quoted(f"*{name}") + rest for name in flag.names)
        elif len(flag.names) == 1:
            yield flag.names[0] + rest
        else:
            yield f"'({' '.join(flag.names)})'{{{','.join(flag.names)}}}{rest}"


def _fish(commands: dict[str, list[Flag]]) -> Iterator[str]:
    yield "# Completion of zarrdb for fish."
    for name, entry in COMMANDS.items():
        summary = _quoted(entry.summary.rstrip("."))
        yield f"complete -c zarrdb -n __fish_use_subcommand -f -a {name} -d {summary}"
    for command, options in commands.items():
        where = f"'__fish_seen_subcommand_from {command}'" if command else "__fish_use_subcommand"
        for flag in options:
            names = " ".join(_fish_name(name) for name in flag.names)
            value = {
                "": "",
                "text": " -x",
                "file": " -r -F",
                "dir": " -x -a '(__fish_complete_directories)'",
            }.get(flag.takes, f" -x -a {_quoted(flag.takes)}")
            text = _quoted(flag.help.rstrip("."))
            yield f"complete -c zarrdb -n {where} {names}{value} -d {text}"


def _fish_name(name: str) -> str:
    return f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
