import FoundationEssentials
import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let concurrencyChecks: [ConformanceCheck] = [hundred, hundredUploads, sequence]

  private static let hundred = ConformanceCheck("a hundred requests at once each get their own answer") { stage in
    stage.ignoreOrder()
    try stage.play { .text("answer to \($0.target)", fields: ["X-Target": $0.target]) }
    try await atOnce(100) { number in
      let response = try await stage.fetch("/\(number)")
      try stage.expect(response.text, "answer to /\(number)", "The body of request \(number)")
      try stage.expect(RawFields(response.head.headerFields)["X-Target"], "/\(number)", "X-Target of request \(number)")
    }
    try stage.expect(stage.peer.requests.count, 100, "The requests that arrived")
  }

  private static let hundredUploads = ConformanceCheck("a hundred bodies at once each arrive whole") { stage in
    stage.ignoreOrder()
    try stage.play { .bytes($0.body) }
    try await atOnce(100) { number in
      let bytes = [UInt8](repeating: UInt8(number), count: 10_000 + number)
      let response = try await stage.fetch("/\(number)", method: .post, body: .bytes(.init(bytes)))
      try stage.expect(bytes: response.end.data, bytes, "The echo of request \(number)")
    }
  }

  private static let sequence = ConformanceCheck("a hundred requests one after the other each get their own answer") {
    stage in
    try stage.play { $0.number % 3 == 0 ? .chunks([.text($0.target)]) : .text($0.target) }
    for number in 0..<100 {
      try stage.expect(try await stage.fetch("/\(number)").text, "/\(number)", "The body of request \(number)")
    }
  }

  private static func atOnce(
    _ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask { try await operation(number) } }
      try await group.waitForAll()
    }
  }
}
