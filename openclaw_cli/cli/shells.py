"""The TAB key in bash, zsh and fish: the script of each, and how bash's words are cut.

A script asks the program (``_OPENCLAW_COMPLETE=<shell>_complete``) for what fits. Bash cuts
words at colons, which session keys are full of: its script hands over the line itself and
takes what stands before the last colon off the answers.
"""

from __future__ import annotations

import os

from click.shell_completion import BashComplete, add_completion_class, split_arg_string

VARIABLE = "_OPENCLAW_COMPLETE"

_BASH = r"""# TAB completion of openclaw for bash 4.4 or newer: source this file, or put it into
# share/bash-completion/completions/openclaw.
_openclaw_completion() {
    local type value word=${COMP_LINE:0:COMP_POINT} cut=
    word=${word##*[[:space:]]}
    if [[ $word == --*=* ]]; then
        word=${word#--*=}
    fi
    if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
        cut=${word%"${word##*:}"}
    fi
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) printf -v value %q "${value#"$cut"}"; COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_WORDS="${COMP_LINE:0:COMP_POINT}" _OPENCLAW_COMPLETE=bash_complete "$1")
}
complete -o nosort -F _openclaw_completion openclaw
"""

_ZSH = r"""#compdef openclaw
# TAB completion of openclaw for zsh: put this file as _openclaw into a folder of $fpath.
_openclaw_completion() {
    local -a lines plain described
    local type value about
    (( $+commands[openclaw] )) || return 1
    lines=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) \
        _OPENCLAW_COMPLETE=zsh_complete openclaw)}")
    for type value about in $lines; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain)
                if [[ $about == _ ]]; then
                    plain+=("$value")
                else
                    described+=("$value:$about")
                fi
                ;;
        esac
    done
    (( $#described )) && _describe -V openclaw described -U
    (( $#plain )) && compadd -U -V openclaw -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _openclaw_completion "$@"
else
    compdef _openclaw_completion openclaw
fi
"""

_FISH = r"""# TAB completion of openclaw for fish: put this file into ~/.config/fish/completions/.
function __openclaw_completion
    set -l lines (env _OPENCLAW_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \
        COMP_CWORD=(commandline -ct) openclaw)
    for line in $lines
        set -l parts (string split -m 1 ',' -- $line)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%s\n' $parts[2]
        end
    end
end
complete --no-files --keep-order --command openclaw --arguments '(__openclaw_completion)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


class Bash(BashComplete):
    """Bash, asked with the line up to the cursor instead of bash's own words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        incomplete = words.pop() if words and not line[-1].isspace() else ""
        return words[1:], incomplete


def register() -> None:
    """Make click use ``Bash``."""
    add_completion_class(Bash, "bash")
