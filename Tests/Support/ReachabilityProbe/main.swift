// Runs one command of the probe. The tests start this program in a separate network namespace. It prints one line for
// each event, and the tests wait for these lines.
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
