import FoundationEssentials
import LupineCore
import LupineFixtures
import LupineMultipart
import Testing

/// Random forms, whose encoded body must parse into the same parts.
@Suite struct PropertyTests {
  private static let seeds = 1...400

  @Test(arguments: stride(from: 1, through: 400, by: 100).map { $0..<$0 + 100 })
  func `our parser finds the parts that were written, however they are cut`(seeds: Range<Int>) throws {
    for seed in seeds {
      let random = RandomForm(seed: Seeds.first &+ UInt64(seed))
      var generator = SplitMix(seed: Seeds.first &+ UInt64(seed))
      var rest = try bytes(of: random.form.asBody(), pieceSize: Int.random(in: 1...300, using: &generator))[...]
      var chunks: [[UInt8]] = []
      while !rest.isEmpty {
        let chunk = rest.prefix(Int.random(in: 1...200, using: &generator))
        chunks.append(Array(chunk))
        rest = rest[chunk.endIndex...]
      }
      let parts = try parse(chunks, boundary: random.form.boundary).map { part in
        let received = ReceivedPart(headers: part.headers, data: Data(part.content))
        return RandomForm.Part(name: received.name ?? "", fileName: received.fileName, data: received.data)
      }
      #expect(parts == random.parts, "seed \(random.seed)")
    }
  }

  @Test(.enabled(if: PythonParsers.areWanted, PythonParsers.reason))
  func `their parsers find the parts that were written`() throws {
    let forms = Self.seeds.map { RandomForm(seed: Seeds.first &+ UInt64($0)) }
    let cases = try forms.map { random in
      PythonParsers.Case(
        contentType: random.form.contentType, body: Data(try bytes(of: random.form.asBody())),
        parsers: PythonParsers.forForms)
    }
    let answers = try PythonParsers.parse(cases)
    #expect(answers.count == forms.count)
    for (random, answer) in zip(forms, answers) {
      for parser in PythonParsers.forForms {
        let parts = try #require(answer[parser]?.parts, "\(answer[parser]?.error ?? parser)")
        // Django returns fields and files separately, so the order is lost; the index in each name keeps names unique.
        let found = Set(parts.map { Self.part($0.name ?? "", $0.fileName, $0.data ?? Data()) })
        let expected = Set(random.parts.map { Self.part($0.name, $0.fileName, $0.data) })
        #expect(found == expected, "\(parser), seed \(random.seed)")
      }
    }
  }

  /// A part with escaped names, because some parsers decode `%22` and others do not.
  private static func part(_ name: String, _ fileName: String?, _ data: Data) -> RandomForm.Part {
    RandomForm.Part(name: browserEscaped(name), fileName: fileName.map(browserEscaped), data: data)
  }
}
