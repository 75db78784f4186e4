/// Remembers what a call that cannot throw found.
final class NestingState {
  var isTooDeep = false
}
