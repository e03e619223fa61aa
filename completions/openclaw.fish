# TAB completion of openclaw for fish: put this file into ~/.config/fish/completions/.
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
