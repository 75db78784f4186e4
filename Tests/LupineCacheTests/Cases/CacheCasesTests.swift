import LupineFoundation
import LupineSupport
import Testing

/// Runs the cases of http-tests/cache-tests, from a file that the environment names.
@Suite struct CacheCasesTests {
  static let path = ProcessInfo.processInfo.environment["LUPINE_CACHE_TESTS"]

  @Test(
    .enabled(if: path != nil, "The environment variable LUPINE_CACHE_TESTS names no file with cases."),
    .timeLimit(.minutes(1)), arguments: ["private", "shared"])
  func `the cache passes every required case`(kind: String) async throws {
    let data = try Data(contentsOf: URL(filePath: #require(Self.path)))
    let tests = try JSONDecoder().decode(CaseFile.self, from: data).tests.filter { $0.appliesTo.contains(kind) }
    var passed: [String: Int] = [:]
    for test in tests {
      let verdict = try await CaseClient(test: test, isShared: kind == "shared").run()
      if verdict == .pass {
        passed[test.kind, default: 0] += 1
      } else {
        print("\(kind) \(test.kind) \(test.id): \(verdict)")
      }
      if test.kind == "required" { #expect(verdict == .pass, "\(test.id)") }
    }
    let others = Set(tests.flatMap(\.results.keys)).map { name in
      tests.count { $0.kind == "optimal" && ($0.results[name] ?? nil) == "yes" }
    }
    let best = others.max() ?? 0
    #expect(kind == "shared" || passed["optimal"] ?? 0 > best, "another cache passes \(best) optimal cases")
    print("\(kind): \(tests.count - passed.values.reduce(0, +)) cases without a pass")
    for name in ["required", "optimal", "check"] {
      print("\(kind) \(name): \(passed[name] ?? 0) of \(tests.count { $0.kind == name })")
    }
  }
}
