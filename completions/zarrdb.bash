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
        :--completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur"); return ;;
        :--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        init:--zarr-format) mapfile -t COMPREPLY < <(compgen -W '2 3' -- "$cur"); return ;;
        init:--attributes) return ;;
        init:--timeout) return ;;
        init:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        ls:--depth) return ;;
        ls:--timeout) return ;;
        ls:--storage-option) return ;;
        ls:--max-bytes) return ;;
        ls:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        ls:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        cat:--range) return ;;
        cat:--attributes) return ;;
        cat:--slice) return ;;
        cat:--format) mapfile -t COMPREPLY < <(compgen -W 'text csv json npy raw' -- "$cur"); return ;;
        cat:-o|cat:--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        cat:--timeout) return ;;
        cat:--storage-option) return ;;
        cat:--max-bytes) return ;;
        cat:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        cat:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        info:-o|info:--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        info:--timeout) return ;;
        info:--storage-option) return ;;
        info:--max-bytes) return ;;
        info:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        info:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        check:--select) return ;;
        check:--ignore) return ;;
        check:--level) return ;;
        check:--fail-on) mapfile -t COMPREPLY < <(compgen -W 'error warning info never' -- "$cur"); return ;;
        check:--max-findings) mapfile -t COMPREPLY < <(compgen -W 'all' -- "$cur"); return ;;
        check:--explain) return ;;
        check:--format) mapfile -t COMPREPLY < <(compgen -W 'text json sarif github junit' -- "$cur"); return ;;
        check:--report) return ;;
        check:--config) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        check:--baseline) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        check:--write-baseline) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        check:--scope) mapfile -t COMPREPLY < <(compgen -W 'core installed' -- "$cur"); return ;;
        check:--plugin) return ;;
        check:--include) return ;;
        check:--exclude) return ;;
        check:-j|check:--jobs) return ;;
        check:--progress) mapfile -t COMPREPLY < <(compgen -W 'auto bar plain json none' -- "$cur"); return ;;
        check:--files-from) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        check:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        check:--timeout) return ;;
        check:--storage-option) return ;;
        check:--max-bytes) return ;;
        check:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        import:-o|import:--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        import:-d|import:--output-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        import:--on-conflict) mapfile -t COMPREPLY < <(compgen -W 'error skip replace' -- "$cur"); return ;;
        import:--path) return ;;
        import:--include) return ;;
        import:--exclude) return ;;
        import:--files-from) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        import:--links) mapfile -t COMPREPLY < <(compgen -W 'follow inside refuse' -- "$cur"); return ;;
        import:--slice) return ;;
        import:--codec) mapfile -t COMPREPLY < <(compgen -W 'zstd blosc gzip' -- "$cur"); return ;;
        import:--zarr-format) mapfile -t COMPREPLY < <(compgen -W '2 3' -- "$cur"); return ;;
        import:--page-size) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur"); return ;;
        import:-j|import:--jobs) return ;;
        import:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        import:--timeout) return ;;
        import:--storage-option) return ;;
        import:--max-bytes) return ;;
        import:--progress) mapfile -t COMPREPLY < <(compgen -W 'auto bar plain json none' -- "$cur"); return ;;
        import:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        export:-o|export:--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        export:-d|export:--output-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        export:--to) mapfile -t COMPREPLY < <(compgen -W 'directory zip tar zarrdb b2nd' -- "$cur"); return ;;
        export:--path) return ;;
        export:--include) return ;;
        export:--exclude) return ;;
        export:--page-size) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur"); return ;;
        export:-j|export:--jobs) return ;;
        export:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        export:--timeout) return ;;
        export:--storage-option) return ;;
        export:--max-bytes) return ;;
        export:--progress) mapfile -t COMPREPLY < <(compgen -W 'auto bar plain json none' -- "$cur"); return ;;
        export:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
        vacuum:-o|vacuum:--output) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        vacuum:-d|vacuum:--output-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        vacuum:--page-size) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur"); return ;;
        vacuum:--temp-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
        vacuum:--timeout) return ;;
        vacuum:--progress) mapfile -t COMPREPLY < <(compgen -W 'auto bar plain json none' -- "$cur"); return ;;
        vacuum:--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
    esac
    case $command in
        '') words='--completion -q --quiet -v --verbose --color -V --version -h --help' ;;
        init) words='--zarr-format --attributes --empty --overwrite --skip-existing --json --timeout -q --quiet -v --verbose --color -V --version -h --help' ;;
        ls) words='-l --long -R --recursive --depth --tree --keys --attributes -0 --null --json --timeout --storage-option --max-bytes --download --temp-dir --count -q --quiet -v --verbose --color -V --version -h --help' ;;
        cat) words='--range --attributes --slice --format --force -o --output --overwrite --skip-existing --json --timeout --storage-option --max-bytes --download --temp-dir -q --quiet -v --verbose --color -V --version -h --help' ;;
        info) words='-o --output --overwrite --skip-existing --json --timeout --storage-option --max-bytes --download --temp-dir --count -q --quiet -v --verbose --color -V --version -h --help' ;;
        check) words='--select --ignore --level --fail-on --max-findings --require-chunks --integrity --no-integrity --data --explain --list-rules --format --report --config --no-config --baseline --write-baseline --fix -n --dry-run --scope --plugin --include --exclude -j --jobs --progress --files-from -0 --null --temp-dir --timeout --storage-option --max-bytes --download --json -q --quiet -v --verbose --color -V --version -h --help' ;;
        import) words='-o --output -d --output-dir --merge --on-conflict --path --include --exclude --files-from -0 --null --overwrite --skip-existing --fail-fast --links --keep-junk --slice --codec --zarr-format --any-keys --page-size --verify --resume -j --jobs --temp-dir -n --dry-run --timeout --storage-option --max-bytes --download --progress --json -q --quiet -v --verbose --color -V --version -h --help' ;;
        export) words='-o --output -d --output-dir --to --path --include --exclude --portable --overwrite --skip-existing --page-size --verify --resume -j --jobs --temp-dir -n --dry-run --timeout --storage-option --max-bytes --download --progress --json -q --quiet -v --verbose --color -V --version -h --help' ;;
        vacuum) words='-o --output -d --output-dir --page-size --force --overwrite --skip-existing --temp-dir -n --dry-run --timeout --progress --json -q --quiet -v --verbose --color -V --version -h --help' ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'init ls cat info check import export vacuum' -- "$cur")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _zarrdb zarrdb
