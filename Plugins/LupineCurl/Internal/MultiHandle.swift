import CLibcurl
import LupineCore

/// Owns one of libcurl's multi handles.
struct MultiHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  private var isOpen = true

  init(_ configuration: CurlTransport.Configuration) throws(LupineError) {
    guard let pointer = curl_multi_init() else {
      throw LupineError(.other, "libcurl has no memory for a multi handle.")
    }
    self.pointer = pointer
    HandleCount.add(1)
    set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    set(CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
    set(CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connections)
    set(CURLMOPT_MAXCONNECTS, configuration.connections)
  }

  deinit { if isOpen { cleanUp() } }

  mutating func close() {
    if isOpen { cleanUp() }
    isOpen = false
  }

  private func cleanUp() {
    curl_multi_cleanup(pointer)
    HandleCount.add(-1)
  }

  private func set(_ option: CURLMoption, _ value: Int) { lupine_multi_set_long(pointer, option, max(1, value)) }
}
