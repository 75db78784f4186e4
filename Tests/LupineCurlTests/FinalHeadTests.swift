import LupineCore
import LupineFraming
import Testing

@testable import LupineCurl

@Suite struct FinalHeadTests {
  private static func head(_ lines: String...) throws -> ReceivedHead {
    var reader = HeadReader(Limits(), HeadCache(), mayBeMultiplexed: true)
    for line in lines + [""] {
      let event = try Array("\(line)\r\n".utf8).withUnsafeBytes { bytes throws(LupineError) in try reader.process(bytes)
      }
      if case .final(let head) = event { return head }
    }
    throw LupineError(.other, "The head has no end.")
  }

  @Test func `a 407 is the proxy's only if a proxy forwards the request`() throws {
    let head = try Self.head("HTTP/1.1 407 Proxy Authentication Required", "Content-Length: 0")
    #expect(FinalHead(head: head, isForwarded: true).source == .proxy)
    #expect(FinalHead(head: head).source == .origin)
    #expect(FinalHead(head: try Self.head("HTTP/1.1 401 No"), isForwarded: true).source == .origin)
  }

  @Test func `a proxy's challenge closes a connection on which a part of a body was sent`() throws {
    let head = try Self.head("HTTP/1.1 407 No", "Content-Length: 0")
    #expect(!FinalHead(head: head, isForwarded: true).closesConnection)
    #expect(FinalHead(head: head, isForwarded: true, bytesSent: 1).closesConnection)
    #expect(!FinalHead(head: head, bytesSent: 1).closesConnection)
  }

  @Test(arguments: [("HTTP/1.1 200 OK", true), ("HTTP/1.1 417 No", false), ("HTTP/2 200 ", false)])
  func `a final response in the place of 100 refuses the body`(_ line: String, _ closes: Bool) throws {
    let head = try Self.head(line, "Content-Length: 0")
    let refused = FinalHead(head: head, waitsForContinue: true)
    #expect(refused.refusesBody)
    #expect(refused.closesConnection == closes)
    let sent = FinalHead(head: head, waitsForContinue: true, bytesSent: 1)
    #expect(!sent.refusesBody && !sent.closesConnection)
    #expect(!FinalHead(head: head).refusesBody)
  }

  @Test func `a 204 that announces content closes its connection`() throws {
    #expect(FinalHead(head: try Self.head("HTTP/1.1 204 No Content", "Content-Length: 5")).closesConnection)
    #expect(!FinalHead(head: try Self.head("HTTP/1.1 204 No Content")).closesConnection)
  }
}
