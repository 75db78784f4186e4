/// A transport that wants to hear what becomes of the requests it carries.
package protocol ObservingTransport: Transport {
  /// Makes the monitor of one session; nil where it wants to hear nothing.
  func makeMonitor() -> (any EventMonitor)?
}
