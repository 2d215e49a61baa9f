# bash completion for gpucoop
_gpucoop() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word != -* ]]; then
      command=$word
      break
    fi
  done
  COMPREPLY=()
  local modes='data-parallel layer-split pipeline tensor tensor-custom-allreduce tensor-host-staged expert expert-dp context
    prefill-decode ddp fsdp'
  local formats='text json'
  [[ $command == verdict ]] && formats+=' junit'
  case $previous in
    --format) mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current") && return ;;
    --backend) mapfile -t COMPREPLY < <(compgen -W 'auto cuda host' -- "$current") && return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current") && return ;;
    --require) mapfile -t COMPREPLY < <(compgen -W "$modes" -- "$current") && return ;;
    --accept) mapfile -t COMPREPLY < <(compgen -W 'expected' -- "$current") && return ;;
    --from | --probe-results | --library | -o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
    --sysroot | --rules | --env | --root) mapfile -t COMPREPLY < <(compgen -d -- "$current") && return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'vllm sglang llama-cpp pytorch' -- "$current") && return ;;
    --dump | --gpus | --groups | --ranks | --timeout | --budget | --soak | --inject | --model | --batch | --prompt) return ;;
  esac
  local words
  case $command in
    '') words='topo probe verdict inspect explain record diff --help --version' ;;
    topo | explain) words='--from --sysroot --dump --library --inspect --rules --no-builtin-rules --format --output --overwrite --color --quiet --verbose --help' ;;
    probe) words='--dispatch --p2p --collective --groups --all --backend --ranks --gpus --library --env --timeout --budget --soak --allow-display --force --dry-run --inject --rules --no-builtin-rules --format --output --overwrite --color --quiet --verbose --help' ;;
    verdict) words='--require --engine --gpus --accept --from --sysroot --dump --library --inspect --probe-results --model --batch --prompt --rules --no-builtin-rules --format --output --overwrite --color --quiet --verbose --help' ;;
    record) words='--from --sysroot --dump --library --inspect --probe-results --output --overwrite --quiet --help' ;;
    inspect) words='--env --root --from --sysroot --dump --format --output --overwrite --color --quiet --verbose --help' ;;
    diff) words='--rules --no-builtin-rules --format --output --overwrite --color --quiet --verbose --help' ;;
    *) words='' ;;
  esac
  if [[ ($command == diff || $command == inspect) && $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -F _gpucoop gpucoop
