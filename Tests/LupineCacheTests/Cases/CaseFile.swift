import LupineFoundation

/// Cases of http-tests/cache-tests, as data.
struct CaseFile: Decodable {
  let tests: [CacheCase]
}

/// A case: requests of one client, and what the server answers to each of them.
struct CacheCase: Decodable, Sendable {
  let id: String
  let suite: String
  /// `required`, `optimal` or `check`.
  let kind: String
  let appliesTo: [String]
  /// Whether the client must fail.
  let passesOnError: Bool?
  let requests: [Step]
  /// The verdicts of other caches.
  let results: [String: String?]

  struct Step: Decodable, Sendable {
    let number: Int
    let isSetup: Bool
    let expectedType: String?
    let client: Client
    let server: Server
    let checks: [Check]
  }

  struct Client: Decodable, Sendable {
    let method: String
    let headers: [Field]
    let body: String?
    let filename: String?
    let query: String?
    let redirect: String?
    let fetchCacheMode: String?
    let pauseAfterSeconds: Int?
  }

  struct Server: Decodable, Sendable {
    let status: Int
    let headers: [Field]
    let body: String?
    let pauseSeconds: Int?
    let disconnects: Bool?
    let interim: [Interim]?
    let answers304: Validators?
  }

  struct Interim: Decodable, Sendable {
    let status: Int
    let headers: [Field]
  }

  struct Validators: Decodable, Sendable {
    let ifNoneMatch: String?
    let ifModifiedSince: Field?
  }

  /// A field, whose value may depend on the server.
  struct Field: Decodable, Sendable {
    let name: String
    let value: String?
    let secondsFromServerNow: Int?
    let format: String?
    let relativeToServerBaseURL: String?
    let isChecked: Bool?
  }

  struct Check: Decodable, Sendable {
    let on: String
    let kind: String
    let isSetup: Bool
    let name: String?
    let equals: Value?
    let notEquals: Int?
    let equalsHeader: String?
    let isPresent: Bool?
    let isGreaterThan: Double?
    let notContaining: String?
    let unlessStatus: [Int]?
    let interim: [Interim]?
  }

  /// The value of a check: a number, a text, a text in an object, a date, or the token of the run.
  enum Value: Decodable, Sendable {
    case number(Int)
    case text(String)
    case date(secondsFromServerNow: Int, format: String?)
    case token

    private struct Object: Decodable {
      let value: String?
      let secondsFromServerNow: Int?
      let format: String?
      let isToken: Bool?
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        let object = try container.decode(Object.self)
        if let seconds = object.secondsFromServerNow {
          self = .date(secondsFromServerNow: seconds, format: object.format)
        } else {
          self = object.value.map { .text($0) } ?? .token
        }
      }
    }
  }
}
