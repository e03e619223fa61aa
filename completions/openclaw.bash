# TAB completion of openclaw for bash 4.4 or newer: source this file, or put it into
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
