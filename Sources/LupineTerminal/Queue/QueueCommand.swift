#if Terminal
  import ArgumentParser
  import LupineCore
  import LupineFoundation
  import LupineNative
  import LupineSession
  import LupineTransferQueue

  /// `lupine queue`: transfers that go on when the program is gone.
  struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "queue", abstract: "Adds downloads and uploads to a folder, and runs them without a program.",
      discussion: """
        The folder survives crashes and reboots: a runner continues what it finds there. A program that opens the folder \
        with the library's TransferQueue sees the same transfers, and reads their events.
        """,
      subcommands: [
        QueueRun.self, QueueStart.self, QueueStop.self, QueueUnit.self, QueueAdd.self, QueueList.self, QueueWatch.self,
        QueuePause.self, QueueResume.self, QueueRemove.self, QueueProfile.self, QueueHook.self,
      ])
  }

  /// The folder of a queue.
  struct QueueFolderOption: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the queue; it is made if it is missing.", valueName: "folder"))
    var at: String

    /// The path from the root.
    var path: String { Self.absolute(at) }

    static func absolute(_ path: String) -> String {
      path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Calls the closure with the queue of the folder, whose transfers this process does not run.
    func open<Value>(_ work: (TransferQueue) async throws -> Value) async throws -> Value {
      let session = try Session.Builder().transport(.native).build()
      let queue = try TransferQueue(
        at: at, session: session, configuration: TransferQueue.Configuration { $0.runsTransfers = false })
      let result: Result<Value, any Error>
      do { result = .success(try await work(queue)) } catch { result = .failure(error) }
      await queue.close()
      return try result.get()
    }
  }

  /// The numbers of transfers.
  struct QueueTransfers: ParsableArguments {
    @Argument(help: "The numbers of transfers, as `list` prints them.")
    var ids: [Int64]

    /// Calls the closure with each transfer, after a check that all of them exist.
    func forEach(in folder: QueueFolderOption, _ work: (TransferQueue, TransferID) async throws -> Void) async throws {
      try await folder.open { queue in
        for id in ids where try await queue.transfer(TransferID(id)) == nil {
          throw CommandFailure(
            "\(folder.at.debugDescription) has no transfer \(id). "
              + "The numbers are those that this prints: lupine queue list --at \(folder.at)")
        }
        for id in ids { try await work(queue, TransferID(id)) }
      }
    }
  }

  /// `lupine queue pause`.
  struct QueuePause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses transfers.")
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var transfers: QueueTransfers

    func run() async throws { try await transfers.forEach(in: folder) { try await $0.pause($1) } }
  }

  /// `lupine queue resume`.
  struct QueueResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume",
      abstract: "Lets transfers run again that are paused, wait for a credential, or have failed.")
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var transfers: QueueTransfers

    func run() async throws { try await transfers.forEach(in: folder) { try await $0.resume($1) } }
  }

  /// `lupine queue remove`.
  struct QueueRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Removes transfers; a partial file is removed, and a finished download stays.")
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var transfers: QueueTransfers

    func run() async throws { try await transfers.forEach(in: folder) { try await $0.remove($1) } }
  }

  /// `lupine queue hook`.
  struct QueueHook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hook", abstract: "Sets the command that starts when all transfers of a group have ended.",
      discussion: "Without a command it removes that of the group. No shell reads it; the group's name is appended.")
    @OptionGroup var folder: QueueFolderOption
    @Argument(help: "The name of the group.")
    var group: String
    @Argument(parsing: .postTerminator, help: "After `--`: the absolute path of a program, and its arguments.")
    var command: [String] = []

    func run() async throws {
      try await folder.open { try await $0.setHook(command.isEmpty ? nil : command, forGroup: group) }
    }
  }

  /// `lupine queue profile`.
  struct QueueProfile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "profile",
      abstract: "Stores the settings of sessions from a file of JSON, or prints those of a name.",
      discussion: "The keys are those of TransferQueue.Profile. Transfers without a profile have the one named default."
    )
    @OptionGroup var folder: QueueFolderOption
    @Argument(help: "The name of the profile.")
    var name = "default"
    @Option(help: ArgumentHelp("The file of JSON to store.", valueName: "file"))
    var file: String?

    func run() async throws {
      if let file {
        let data = Data(try InputFiles.bytes(file, .fileFailed))
        let profile: TransferQueue.Profile
        do { profile = try JSONDecoder().decode(TransferQueue.Profile.self, from: data) } catch {
          throw CommandFailure(
            "\(file.debugDescription) is no profile: \(Self.reason(error)) The keys are those of TransferQueue.Profile."
          )
        }
        return try await folder.open { try await $0.setProfile(profile, named: name) }
      }
      guard let profile = try await folder.open({ try await $0.profile(named: name) }) else {
        throw CommandFailure("There is no profile \(name.debugDescription). Store one with --file FILE.")
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(profile), as: UTF8.self))
    }

    /// Returns why a file is no profile, in a sentence.
    private static func reason(_ error: any Error) -> String {
      guard let error = error as? DecodingError else { return "\(error)" }
      switch error {
      case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
        .valueNotFound(_, let context):
        let key = context.codingPath.map(\.stringValue).joined(separator: ".")
        return (key.isEmpty ? "" : "at the key \(key): ") + context.debugDescription
      @unknown default: return "\(error)"
      }
    }
  }
#endif
