/// Identifies one sleep on a `TestClock`.
final class SleeperKey: Sendable {}
