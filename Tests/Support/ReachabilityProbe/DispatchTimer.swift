import Dispatch

/// The timers of Dispatch, which need a descriptor from the first one on.
enum DispatchTimer {
  /// Returns after a timer has fired, so that its descriptor is open.
  static func open() async {
    await withCheckedContinuation { waiting in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { waiting.resume() }
    }
  }
}
