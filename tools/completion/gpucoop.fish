# fish completion for gpucoop
set -l commands topo verdict inspect explain record diff
set -l readers topo verdict inspect explain record
set -l hosts topo verdict explain record
set -l judges topo verdict explain diff
set -l views topo verdict inspect explain diff
complete -c gpucoop -f
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version and exit'
complete -c gpucoop -s h -l help -d 'Print help and exit'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a topo -d 'What the GPUs can do together, and what is in the way'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a verdict -d 'Whether the host can do what is required'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a inspect -d 'What collective libraries carry for the GPUs'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a explain -d 'What a mode, gate, fact, cause or remedy means'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a record -d 'Record the host in a file'
complete -c gpucoop -n "not __fish_seen_subcommand_from $commands" -a diff -d 'What changed between two readings of a host'
complete -c gpucoop -n "__fish_seen_subcommand_from $readers" -l from -r -F -d 'Read a recorded host'
complete -c gpucoop -n "__fish_seen_subcommand_from $readers" -l sysroot -x -a '(__fish_complete_directories)' -d 'Read a copy of sysfs and procfs'
complete -c gpucoop -n "__fish_seen_subcommand_from $readers" -l dump -x -d 'Take the Nth host where the inputs hold several'
complete -c gpucoop -n "__fish_seen_subcommand_from $hosts" -l library -r -F -d 'Judge with this library'
complete -c gpucoop -n "__fish_seen_subcommand_from $hosts" -l inspect -d 'Look into the libraries of this host in any case'
complete -c gpucoop -n "__fish_seen_subcommand_from inspect" -l env -x -a '(__fish_complete_directories)' -d 'Look in this Python environment, too'
complete -c gpucoop -n "__fish_seen_subcommand_from inspect" -l root -x -a '(__fish_complete_directories)' -d 'Look below this folder as if it were /'
complete -c gpucoop -n "__fish_seen_subcommand_from $judges" -l rules -x -a '(__fish_complete_directories)' -d 'Put the rules of a folder over the built-in ones'
complete -c gpucoop -n "__fish_seen_subcommand_from $judges" -l no-builtin-rules -d 'Only the rules of --rules'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l model -x -d 'Estimate what sharing this model would cost'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l batch -x -d 'Sequences decoded together'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l prompt -x -d 'Tokens of a prompt'
complete -c gpucoop -n "__fish_seen_subcommand_from $views" -l format -x -a 'text json' -d 'Text for people or JSON for programs'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l format -x -a junit -d 'JUnit XML for test reports'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l require -x -a 'data-parallel layer-split pipeline tensor tensor-custom-allreduce tensor-host-staged expert expert-dp context prefill-decode ddp fsdp' -d 'What the GPUs must be able to do'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l engine -x -a 'vllm sglang llama-cpp pytorch' -d 'Judge the ways in which this engine does it'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l gpus -x -d 'Judge these GPUs'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l accept -x -a expected -d 'Take what is expected for the answer'
complete -c gpucoop -n "__fish_seen_subcommand_from verdict" -l probe-results -r -F -d 'Count what probes measured on this host'
complete -c gpucoop -n "__fish_seen_subcommand_from record" -l probe-results -r -F -d 'Keep what probes measured on this host'
complete -c gpucoop -n "__fish_seen_subcommand_from $commands" -s o -l output -r -F -d 'Write to this file'
complete -c gpucoop -n "__fish_seen_subcommand_from $commands" -l overwrite -d 'Let -o replace an existing file'
complete -c gpucoop -n "__fish_seen_subcommand_from $views" -l color -x -a 'auto always never' -d 'Colour in text'
complete -c gpucoop -n "__fish_seen_subcommand_from $commands" -s q -l quiet -d 'One line of text: the answer'
complete -c gpucoop -n "__fish_seen_subcommand_from $views" -s v -l verbose -d 'Everything that is known, with its evidence'
complete -c gpucoop -n "__fish_seen_subcommand_from diff" -F
complete -c gpucoop -n "__fish_seen_subcommand_from inspect" -F
