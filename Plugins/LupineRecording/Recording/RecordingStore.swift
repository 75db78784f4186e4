import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// The files of a recording under way: the journal, the files of bodies, and at the end the cassette.
///
/// The calls may wait for a disk, and do not overlap.
final class RecordingStore: Sendable {
  fileprivate struct State {
    /// The length of the journal.
    var length: Int64 = 0
    /// The header that the journal has.
    var header: Cassette.Header?
    /// The exchanges that have ended, by their numbers.
    var entries: [Int: Cassette.Entry] = [:]
    /// The names of the files whose bytes may have placeholders.
    var redactedFiles: Set<String> = []
    var origins: [String: Cassette.Origin]
  }

  /// Receives the bodies that are not kept in memory.
  let bodies: BodyStore
  /// The cassette before this recording; `nil` if there was none.
  let old: CassetteContents?
  private let path: String
  private let addsMissing: Bool
  private let folder: CassetteFolder
  private let journal: JournalFile
  private let redactor: Redactor
  private let state: Mutex<State>

  /// Locks the journal, and takes in the exchanges of a recording whose process was killed.
  init(_ path: String, _ options: RecordingOptions) throws(LupineError) {
    self.path = path
    addsMissing = options.addsMissing
    bodies = try BodyStore(cassette: path)
    folder = try CassetteFolder(of: path)
    let replacement = CassetteFolder.name(of: CassetteFile.replacement(of: path))
    let isLeft = folder.has(CassetteFolder.name(of: CassetteFile.journal(of: path)))
    journal = try JournalFile.create(CassetteFile.journal(of: path))
    // A killed recording leaves a complete replacement only together with its journal.
    if !isLeft { folder.remove(replacement) }
    old = try CassetteFile.contents(of: path, with: journal)
    let kept = options.addsMissing ? old : nil
    redactor = Redactor(options.redaction, last: kept?.lastPlaceholder ?? 0)
    state = Mutex(State(origins: kept?.header.origins ?? [:]))
    // The cassette is replaced before the journal is emptied, so that nothing is lost if this process is killed as well.
    if let old { try complete(old) }
    folder.remove(replacement)
    try journal.truncate(to: 0)
  }

  /// Completes the cassette of a recording that was killed.
  ///
  /// - Parameter contents: the exchanges of the cassette and of the journal.
  private func complete(_ contents: CassetteContents) throws(LupineError) {
    if try journal.isEmpty() {
      // The renaming fails if the killed recording had not written a replacement.
      try? folder.rename(CassetteFolder.name(of: CassetteFile.replacement(of: path)), to: CassetteFolder.name(of: path))
    } else if try JournalContents(journal) != nil {
      try replaceCassette(with: CassetteWriter.text(of: contents.header, contents.blocks.map(\.bytes)))
    }
  }

  /// Replaces the secrets of an exchange that has ended, and writes it to the journal.
  ///
  /// - Parameters:
  ///   - number: its place in the order of first sending.
  ///   - header: the header without origins.
  func add(
    _ raw: RawEntry, number: Int, secretFields: SecretFields, _ header: Cassette.Header, _ sighting: ServerSighting
  ) throws(LupineError) {
    let entry = try place(try raw.redacted(by: redactor, secretFields), raw.file)
    state.withLock { $0.learn(sighting) }
    let header = completed(header)
    let (position, newHeader) = state.withLock { ($0.length, header == $0.header ? nil : header) }
    var text = newHeader.map { CassetteWriter.text(of: $0) + [UInt8(ascii: "\n")] } ?? []
    text += CassetteWriter.text(of: entry)
    text.append(UInt8(ascii: "\n"))
    try journal.write(text, at: position)
    state.withLock { state in
      state.length = position + Int64(text.count)
      state.header = newHeader ?? state.header
      state.entries[number] = entry
    }
  }

  /// Moves long bodies to files beside the cassette.
  private func place(_ entry: Cassette.Entry, _ file: PendingFile?) throws(LupineError) -> Cassette.Entry {
    var entry = entry
    if case .inline(let data) = entry.request.body { entry.request.body = try bodies.content(data) }
    if let file {
      entry.response?.body = .file(try bodies.keep(file))
    } else if case .inline(let data) = entry.response?.body {
      entry.response?.body = try bodies.content(data)
    }
    let redacted = file == nil ? entry.bodyFiles : [entry.request.body.file].compactMap(\.self)
    state.withLock { $0.redactedFiles.formUnion(redacted.map(\.name)) }
    return entry
  }

  /// Replaces the cassette.
  ///
  /// - Parameter header: the header without origins.
  func finish(_ header: Cassette.Header) throws(LupineError) {
    var entries = state.withLock { $0.entries.sorted { $0.key < $1.key }.map(\.value) }
    let blocks: [[UInt8]]
    if addsMissing, let old {
      blocks = old.blocks.map(\.bytes) + entries.map(CassetteWriter.text(of:))
    } else {
      entries = try renumbered(entries)
      blocks = BlockMerge.replacing(old?.blocks ?? [], with: entries)
    }
    try replaceCassette(with: CassetteWriter.text(of: completed(header), blocks))
    if !addsMissing { removeFiles(of: old?.cassette.entries ?? [], but: entries) }
  }

  /// Returns the header with the servers; if exchanges are added to a cassette, with its date and capabilities.
  private func completed(_ header: Cassette.Header) -> Cassette.Header {
    var header = header
    header.origins = state.withLock { $0.origins }
    if addsMissing, let old {
      header.date = old.header.date
      header.capabilities.formUnion(old.header.capabilities)
    }
    return header
  }

  /// Numbers the placeholders in the order of first sending, in which the same exchanges have the same ones each time.
  private func renumbered(_ entries: [Cassette.Entry]) throws(LupineError) -> [Cassette.Entry] {
    let redactedFiles = state.withLock { $0.redactedFiles }
    var entries = entries
    var numbering = redactor.numbering()
    var replaced: [Cassette.Entry] = []
    for index in entries.indices {
      let former = entries[index]
      try numbering.renumber(&entries[index]) { (file, change) throws(LupineError) in
        guard redactedFiles.contains(file.name) else { return file }
        let data = Data(try folder.open(file.name, as: .fileFailed).read(at: 0, count: Int(clamping: file.length)))
        let changed = change(data)
        return changed == data ? file : try bodies.content(changed).file ?? file
      }
      replaced.append(former)
    }
    removeFiles(of: replaced, but: entries)
    return entries
  }

  /// Replaces the cassette, and empties the journal.
  private func replaceCassette(with text: [UInt8]) throws(LupineError) {
    let name = CassetteFolder.name(of: path)
    let temporary = CassetteFolder.name(of: CassetteFile.replacement(of: path))
    folder.remove(temporary)
    do throws(LupineError) {
      let file = try folder.create(temporary)
      try file.write(text, at: 0)
      try file.publish()
      try journal.truncate(to: 0)
      try folder.rename(temporary, to: name)
    } catch {
      folder.remove(temporary)
      throw error
    }
    try folder.synchronize()
  }

  /// Removes the files of bodies that no exchange has any more.
  private func removeFiles(of old: [Cassette.Entry], but entries: [Cassette.Entry]) {
    let names = { (entries: [Cassette.Entry]) in Set(entries.flatMap(\.bodyFiles).map(\.name)) }
    for name in names(old).subtracting(names(entries)) { folder.remove(name) }
  }

  /// Removes the journal.
  func close() { journal.remove() }
}

extension RecordingStore.State {
  /// Adds the address and the certificates of a server that an exchange reported.
  fileprivate mutating func learn(_ sighting: ServerSighting) {
    guard sighting.server != Cassette.Origin() else { return }
    var known = origins[sighting.origin] ?? Cassette.Origin()
    known.address = sighting.server.address ?? known.address
    known.tls = sighting.server.tls ?? known.tls
    let isOther = sighting.server.certificates != known.certificates || !sighting.server.verifiedCertificates.isEmpty
    if !sighting.server.certificates.isEmpty, isOther {
      known.certificates = sighting.server.certificates
      known.verifiedCertificates = sighting.server.verifiedCertificates
    }
    origins[sighting.origin] = known
  }
}

extension CassetteFolder {
  /// Whether there is a regular file of this name.
  fileprivate func has(_ name: String) -> Bool { (try? open(name, as: .fileFailed)) != nil }
}

extension RawEntry {
  /// Returns the exchange with placeholders; the body in a file is searched for secrets.
  fileprivate func redacted(by redactor: Redactor, _ secretFields: SecretFields) throws(LupineError) -> Cassette.Entry {
    var raw = entry
    if let file {
      raw.response?.body = .file(Cassette.FileContent(name: "", length: file.length, sha256: Data()))
    }
    if let unknownCoding, raw.response?.body != Cassette.Content.none {
      try redactor.requireHarmless(coding: unknownCoding, of: "the response's body")
    }
    return try redactor.redacted(raw, secretFields: secretFields) { (_, use) throws(LupineError) in
      try file?.forEachPiece { (piece) throws(LupineError) in piece.withUnsafeBytes { use($0) } }
    }
  }
}

extension CassetteContents {
  /// The highest number of a placeholder.
  fileprivate var lastPlaceholder: Int {
    blocks.reduce(0) { highest, block in
      block.bytes.indices.reduce(highest) { max($0, Placeholder.read(block.bytes[...], at: $1)?.number ?? 0) }
    }
  }
}
