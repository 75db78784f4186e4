import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport

/// Decides whether a transfer may be stored, and makes its row.
struct TransferAdmission: Sendable {
  /// The maximum size of the data of a transfer in bytes.
  private static let maximumData = 64 << 10

  let folder: QueueFolder
  let secretFields: SecretFields
  let random: @Sendable () -> UInt64
  /// Whether the program supplies URLs.
  let canAskForURLs: Bool

  init(_ folder: QueueFolder, _ settings: QueueSettings) {
    self.folder = folder
    secretFields = settings.session.secretFields
    random = settings.random
    canAskForURLs = settings.refreshURL != nil
  }

  /// The rows of new transfers, and the forms that they name.
  struct Admitted: Sendable {
    fileprivate(set) var rows: [TransferRow] = []
    /// Locked for as long as this value lives.
    fileprivate var forms: [FormFile] = []

    /// Removes the files of transfers that could not be stored.
    func removeForms() { for form in forms { form.remove() } }
  }

  /// Checks the transfers, and writes their forms to the folder.
  func admit(_ transfers: [QueuedTransfer]) async throws(LupineError) -> Admitted {
    var admitted = Admitted()
    do throws(LupineError) {
      for transfer in transfers { admitted.rows.append(try await row(for: transfer, &admitted.forms)) }
      return admitted
    } catch {
      admitted.removeForms()
      throw error
    }
  }

  private func row(for transfer: QueuedTransfer, _ forms: inout [FormFile]) async throws(LupineError) -> TransferRow {
    let request = try transfer.request.get()
    try check(transfer, request)
    let token = digits(random())
    let content: TransferRecord.Content
    switch transfer.content {
    case .download(let destination, let digest):
      let place = QueuedTransfer.Destination(path: Self.absolute(destination.path), options: destination.options)
      content = .download(place, digest, sizeLimit: transfer.sizeLimit)
    case .upload(let body):
      if case .file(let path, 0) = body.source, body.length == nil {
        content = .file(Self.absolute(path))
      } else {
        let form = try FormFile.make(in: folder, name: token) { digits(random()) }
        forms.append(form)
        try await body.drain { (bytes) throws(LupineError) in try form.write(bytes) }
        try form.finish()
        content = .form(form.name)
      }
    }
    let record = TransferRecord(
      method: request.method.rawValue, url: String(request.url.string.prefix { $0 != "#" }),
      headers: request.headers.map { [$0.name.rawName, $0.value] }, content: content, credential: transfer.credential,
      profile: transfer.profile, group: transfer.group,
      asksForURL: transfer.asksForURL, token: token)
    guard record.encoded != nil else {
      throw LupineError(.invalidRequest, "The description of the transfer cannot be encoded in JSON.")
    }
    let deadline = transfer.deadline.map { max(1, $0.milliseconds) }
    return TransferRow(priority: transfer.priority, deadline: deadline ?? 0, record: record, data: transfer.data)
  }

  private func digits(_ bits: UInt64) -> String {
    let text = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// The path from the root: a later process may run in another folder.
  private static func absolute(_ path: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  /// Refuses what must not be stored.
  private func check(_ transfer: QueuedTransfer, _ request: OutgoingRequest) throws(LupineError) {
    guard transfer.data.count <= Self.maximumData else {
      throw LupineError(.invalidRequest, "The data of a transfer have \(transfer.data.count) bytes, more than 64 KiB.")
    }
    if case .download(let destination, _) = transfer.content,
      destination.path.isEmpty || destination.path.utf8.contains(0)
    {
      throw LupineError(.invalidRequest, "The destination \(destination.path.debugDescription) names no file.")
    }
    if transfer.deadline?.timeIntervalSince1970.isNaN == true {
      throw LupineError(.invalidRequest, "The deadline of the transfer is no date.")
    }
    let options = request.unstoredOptions
    guard options.isEmpty else {
      throw LupineError(
        .invalidRequest,
        "These options of the request are not stored, and later processes would not have them: "
          + "\(options.joined(separator: ", ")). Leave them out, or set them for the session.")
    }
    let secret = request.headers.first { secretFields.contains($0.name) || SecretParameters.isSecret($0.name.rawName) }
    if let field = secret {
      throw LupineError(
        .invalidRequest,
        "The field \(field.name) is secret and is not stored; name a credential of the session's provider in its place."
      )
    }
    if let profile = transfer.profile { try SettingName.check(profile, of: "profile") }
    if let group = transfer.group { try SettingName.check(group, of: "group") }
    if transfer.asksForURL, !canAskForURLs {
      throw LupineError(.invalidRequest, "The transfer asks for its URL, but the queue has no refreshURL.")
    }
    guard transfer.options.contains(.storingSecrets) || !SecretParameters.isInQuery(of: request.url) else {
      throw LupineError(
        .invalidRequest,
        "The query of the URL has a secret, such as a signature, which is not stored. Set asksForURL and leave out the "
          + "secret, or allow it with .storingSecrets.")
    }
  }
}

extension OutgoingRequest {
  /// The names of the options that are set and that a queue does not store.
  fileprivate var unstoredOptions: [String] {
    var names: [String] = []
    if timeouts != nil { names.append("timeouts") }
    if version != nil { names.append("version") }
    if priority != .normal { names.append("priority (set the transfer's)") }
    if expectsContinue { names.append("expectsContinue") }
    if options.allowsBodyWithGET { names.append("allowsBodyWithGET") }
    if options.isIdempotent != nil { names.append("isIdempotent") }
    return names
      + options.keys.map { $0 == CredentialName.self ? "CredentialName (set the transfer's credential)" : "\($0)" }
      .sorted()
  }
}

extension Date {
  /// The milliseconds since 1970, at most a few million years; 0 for a date that is not a number.
  var milliseconds: Int64 {
    let milliseconds = timeIntervalSince1970 * 1000
    return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -1e17), 1e17))
  }
}
