import FoundationEssentials
import Testing

@testable import LupineCore

@Suite struct ExchangeControlTests {
  @Test func `the chosen branch passes the source of its response to its parent`() {
    let parent = ExchangeControl()
    let (first, second) = (parent.branch(), parent.branch())
    first.record(.proxy)
    #expect(parent.source == .origin)
    second.choose()
    #expect(parent.source == .origin)
    first.choose()
    #expect(parent.source == .proxy)
  }

  @Test func `each body that is begun is one of its own`() async throws {
    let control = ExchangeControl()
    let first = control.beginBody(.collect(limit: 9), resume: {})
    let second = control.beginBody(.collect(limit: 9), resume: {})
    for (exchange, text) in [(first, "first"), (second, "second")] {
      let writer = ResponseBodyWriter(exchange: exchange)
      var bytes = Array(text.utf8)
      _ = try writer.write(&bytes)
      writer.finish(metrics: TransferMetrics())
    }
    for (exchange, text) in [(first, "first"), (second, "second")] {
      let body = ResponseBody(exchange: exchange)
      #expect(control.owns(body))
      #expect(try await body.end().data == Data(text.utf8))
    }
  }

  @Test(arguments: [true, false])
  func `an exchange that a closure of its transport captures is released at its end`(isEnded: Bool) {
    weak var held: ExchangeControl?
    do {
      let control = ExchangeControl()
      held = control
      let exchange = control.beginBody(.collect(limit: 9)) { control.touch() }
      if isEnded { ResponseBodyWriter(exchange: exchange).finish(metrics: TransferMetrics()) } else { control.finish() }
    }
    #expect(held == nil)
  }

  @Test func `the end of an exchange ends the body that was made last`() async {
    let control = ExchangeControl()
    _ = control.beginBody(.collect(limit: 9), resume: {})
    let body = ResponseBody(exchange: control.beginBody(.collect(limit: 9), resume: {}))
    control.cancel(LupineError(.cancelled, ""))
    #expect(await #expect(throws: LupineError.self) { try await body.end() }?.kind == .cancelled)
  }
}
