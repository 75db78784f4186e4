import CLibcurl
import LupineCore
import Synchronization

/// Owns one of libcurl's easy handles.
struct EasyHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  private let text: UnsafeMutablePointer<CChar>

  init() throws(LupineError) {
    guard let pointer = curl_easy_init() else { throw LupineError(.other, "libcurl has no memory for an easy handle.") }
    self.pointer = pointer
    HandleCount.add(1)
    text = .allocate(capacity: Int(CURL_ERROR_SIZE))
    text[0] = 0
    lupine_easy_set_pointer(pointer, CURLOPT_ERRORBUFFER, text)
  }

  deinit {
    curl_easy_cleanup(pointer)
    text.deallocate()
    HandleCount.add(-1)
  }

  /// libcurl's message for its last failure; empty if there is none.
  var errorText: String { String(cString: text) }

  func clearError() { text[0] = 0 }

  func set(_ option: CURLoption, _ value: Int) { lupine_easy_set_long(pointer, option, value) }

  func set(_ option: CURLoption, _ value: String?) {
    guard let value else {
      lupine_easy_set_string(pointer, option, nil)
      return
    }
    lupine_easy_set_string(pointer, option, value)
  }

  func setSize(_ option: CURLoption, _ value: Int64) { lupine_easy_set_size(pointer, option, value) }

  func number(_ info: CURLINFO) -> Int { lupine_easy_long(pointer, info) }

  func size(_ info: CURLINFO) -> Int64 { lupine_easy_size(pointer, info) }
}

/// Counts libcurl's handles in the process, so that tests can detect leaks.
enum HandleCount {
  private static let count = Atomic<Int>(0)

  /// The number of easy and multi handles that exist.
  static var current: Int { count.load(ordering: .relaxed) }

  static func add(_ change: Int) { count.add(change, ordering: .relaxed) }
}
