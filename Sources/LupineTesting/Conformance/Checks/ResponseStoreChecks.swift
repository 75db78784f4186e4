import HTTPTypes
import LupineCore
import LupineFoundation

extension ResponseStoreCheck {
  /// All checks.
  public static let all = writingChecks + readingChecks + changeChecks + leaseChecks

  private static let writingChecks = [
    ResponseStoreCheck("A response appears when it is committed") { stage in
      let record = ResponseStoreStage.record("key", variant: "en", "metadata")
      let writer = try await stage.writer(for: record)
      try await writer.append(Data("one, ".utf8))
      try stage.expect("the responses before", try await stage.store.responses(for: "key"), [])
      try await writer.append(Data("two".utf8))
      let trailers: HTTPFields = [.contentLanguage: "en"]
      let stored = try stage.found("the result of commit", try await writer.commit(trailers: trailers))
      try stage.expect("the record", stored.record, record)
      try stage.expect("the length", stored.length, 8)
      try stage.expect("the trailers", stored.trailers, trailers)
      try stage.expect("the responses after", try await stage.store.responses(for: "key"), [stored])
      try stage.expect("the content", try await stage.text(of: stored), "one, two")
    },
    ResponseStoreCheck("A response without content is stored") { stage in
      try await stage.add(ResponseStoreStage.record("key"), [])
      try stage.expect("the contents", try await stage.contents("key"), ["": ""])
    },
    ResponseStoreCheck("An aborted response does not appear, and the old one stays") { stage in
      try await stage.add(ResponseStoreStage.record("key"), ["old"])
      let size = try await stage.store.size()
      let writer = try await stage.writer(for: ResponseStoreStage.record("key"))
      try await writer.append(Data("new".utf8))
      await writer.abort()
      try stage.expect("the contents", try await stage.contents("key"), ["": "old"])
      try stage.expect("the size", try await stage.store.size(), size)
    },
    ResponseStoreCheck("A commit with another record replaces no other response, or keeps nothing") { stage in
      try await stage.add(ResponseStoreStage.record("key", variant: "whole"), ["whole"])
      let writer = try await stage.writer(for: ResponseStoreStage.record("key", variant: "whole"))
      try await writer.append(Data("beginning".utf8))
      let record = ResponseStoreStage.record("key", variant: "part", "metadata")
      let stored = try await writer.commit(as: record)
      if let stored { try stage.expect("the record", stored.record, record) }
      let part = stored == nil ? [:] : ["part": "beginning"]
      try stage.expect(
        "the contents", try await stage.contents("key"), part.merging(["whole": "whole"]) { old, _ in old })
    },
    ResponseStoreCheck("A commit replaces the response of the same key and variant, and no other") { stage in
      try await stage.add(ResponseStoreStage.record("key", variant: "de"), ["alt"])
      try await stage.add(ResponseStoreStage.record("key", variant: "en"), ["old"])
      try await stage.add(ResponseStoreStage.record("other", variant: "en"), ["other"])
      try await stage.add(ResponseStoreStage.record("key", variant: "en"), ["new"])
      try stage.expect("the contents", try await stage.contents("key"), ["de": "alt", "en": "new"])
      try stage.expect("those of the other key", try await stage.contents("other"), ["en": "other"])
    },
    ResponseStoreCheck("Writers of one key at the same time leave one whole response") { stage in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for digit in 0..<8 {
          group.addTask {
            try await stage.add(ResponseStoreStage.record("key"), Array(repeating: "\(digit)", count: 32))
          }
        }
        try await group.waitForAll()
      }
      let contents = try await stage.contents("key")
      try stage.expect("the number of responses", contents.count, 1)
      try stage.expect("the length of the content", contents[""]?.count, 32)
      try stage.expect("the number of writers in it", Set(contents[""] ?? "").count, 1)
    },
  ]

  private static let readingChecks = [
    ResponseStoreCheck("Content is read from any offset") { stage in
      let stored = try await stage.add(ResponseStoreStage.record("key"), ["0123", "4567", "89"])
      for (range, expected) in [(Int64(0)..<3, "012"), (3..<9, "345678"), (8..<10, "89"), (5..<5, "")] {
        try stage.expect("the bytes \(range)", try await stage.text(of: stored, in: range), expected)
      }
    },
    ResponseStoreCheck("Large content is read at the same time by several readers") { stage in
      let piece = String(repeating: "0123456789abcdef", count: 2048)
      let stored = try await stage.add(ResponseStoreStage.record("key"), Array(repeating: piece, count: 16))
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<4 { group.addTask { try await stage.text(of: stored)?.utf8.count } }
        for try await count in group { try stage.expect("the number of bytes", count, 1 << 19) }
      }
    },
    ResponseStoreCheck("Content that is removed while it is read fails, or yields its own bytes") { stage in
      let stored = try await stage.add(ResponseStoreStage.record("key"), ["old"])
      let content = try stage.found("the content", try await stage.store.content(of: stored, in: nil))
      try await stage.add(ResponseStoreStage.record("key"), ["new"])
      let bytes = try? await ResponseStoreStage.bytes(of: content)
      try stage.expect("the bytes", bytes ?? Data("old".utf8), Data("old".utf8))
      try stage.expect("the content of the replaced response", try await stage.text(of: stored), nil)
    },
  ]

  private static let changeChecks = [
    ResponseStoreCheck("An update changes the record and keeps the content") { stage in
      let stored = try await stage.add(ResponseStoreStage.record("key", "old"), ["content"])
      let record = ResponseStoreStage.record("key", "new")
      let updated = try stage.found("the result", try await stage.store.update(stored, to: record))
      try stage.expect("the identifier", updated.id, stored.id)
      try stage.expect("the responses", try await stage.store.responses(for: "key"), [updated])
      try stage.expect("the record", updated.record, record)
      try stage.expect("the content", try await stage.text(of: updated), "content")
    },
    ResponseStoreCheck("A response that was replaced is neither updated nor removed") { stage in
      let old = try await stage.add(ResponseStoreStage.record("key", "old"), ["old"])
      let new = try await stage.add(ResponseStoreStage.record("key", "new"), ["new"])
      let record = ResponseStoreStage.record("key", "update")
      try stage.expect("the update", try await stage.store.update(old, to: record), nil)
      try await stage.store.remove(old)
      try stage.expect("the responses", try await stage.store.responses(for: "key"), [new])
      try await stage.store.remove(new)
      try stage.expect("the responses after the removal", try await stage.store.responses(for: "key"), [])
    },
    ResponseStoreCheck("Removals remove what they name, and free its room") { stage in
      let empty = try await stage.store.size()
      for variant in ["de", "en"] { try await stage.add(ResponseStoreStage.record("key", variant: variant), ["text"]) }
      try await stage.add(ResponseStoreStage.record("other"), ["other"])
      let full = try await stage.store.size()
      try stage.expect("whether the size counts the contents", full - empty >= 13, true)
      try await stage.store.removeAll(for: "key")
      try stage.expect("the contents", try await stage.contents("key"), [:])
      try stage.expect("those of the other key", try await stage.contents("other"), ["": "other"])
      try await stage.store.removeAll { $0.record.key == "other" }
      try stage.expect("the contents at the end", try await stage.contents("other"), [:])
      try stage.expect("the size at the end", try await stage.store.size(), empty)
    },
  ]

  private static let leaseChecks = [
    ResponseStoreCheck("A lease has one holder until it is released") { stage in
      guard let leases = stage.store.leases else { return }
      let key = "lease \(UInt64.random(in: .min ... .max))"
      let lease = try stage.found("the lease", try await leases.acquireLease(for: key, lifetime: .seconds(60)))
      try stage.expect("the second", try await leases.acquireLease(for: key, lifetime: .seconds(60)), nil)
      try stage.expect("the release", try await leases.release(lease), true)
      try stage.expect("the second release", try await leases.release(lease), false)
      let next = try stage.found("the next", try await leases.acquireLease(for: key, lifetime: .seconds(60)))
      try stage.expect("whether it is another", next == lease, false)
      try await leases.release(next)
    }
  ]
}
