// A program that tests run inside a network namespace of their own, as `ip netns exec` does it. It prints one line for
// each thing that happens, and the tests wait for the lines.
import Glibc

guard let command = CommandLine.arguments.dropFirst().first, let run = Probe.commands[command] else {
  say("usage: ReachabilityProbe \(Probe.commands.keys.sorted().joined(separator: "|")) [ARGUMENT...]")
  exit(64)
}
do {
  try await run(Array(CommandLine.arguments.dropFirst(2)))
} catch {
  say("error \(error)")
  exit(1)
}
