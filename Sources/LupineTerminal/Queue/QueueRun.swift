#if Terminal
  import ArgumentParser
  import LupineAuthentication
  import LupineCore
  import LupineFoundation
  import LupineNative
  import LupineOpenSSL
  import LupineResumableUpload
  import LupineSession
  import LupineTransferQueue

  /// The limits and the credentials of a runner.
  struct QueueRunnerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many transfers run at the same time.", valueName: "number"))
    var limit = 4
    @Option(
      help: ArgumentHelp(
        "How many transfers run with one host and port; half of the limit by default.", valueName: "number"))
    var limitPerHost: Int?
    @Option(help: ArgumentHelp("The most bytes per second of all transfers together.", valueName: "bytes"))
    var bytesPerSecond: Int?
    @Option(
      help: ArgumentHelp(
        "The folder of the credentials' files, in the place of $CREDENTIALS_DIRECTORY and ~/.config/lupine/credentials.",
        valueName: "folder"))
    var credentials: String?

    /// The options as arguments of another process.
    var arguments: [String] {
      var arguments = ["--limit", "\(limit)"]
      if let limitPerHost { arguments += ["--limit-per-host", "\(limitPerHost)"] }
      if let bytesPerSecond { arguments += ["--bytes-per-second", "\(bytesPerSecond)"] }
      if let credentials { arguments += ["--credentials", QueueFolderOption.absolute(credentials)] }
      return arguments
    }

    func runner(at folder: String) throws -> TransferRunner {
      let configuration = TransferQueue.Configuration { configuration in
        configuration.limit = limit
        configuration.limitPerHost = limitPerHost
        configuration.bytesPerSecond = bytesPerSecond
        configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
          upload.resumable().checkpoint(name, in: store).resumesAutomatically()
        } discard: { session, name, store in
          try await session.discardUpload(checkpoint: name, in: store)
        }
      }
      let files = credentials.map { CredentialFiles(in: QueueFolderOption.absolute($0)) } ?? .standard
      var transports: [String: any Transport] = ["native": .native]
      // A profile that names another transport is an error of its session.
      if let curl = try? CurlProgram.transport() { transports["curl"] = curl }
      return try TransferRunner(at: folder, configuration: configuration, log: RunnerLog.append) {
        [transports] profile in
        try Session.Builder(profile, transports: transports, defaultTransport: "native") { .publicKeys(PublicKeys($0)) }
          .install(.authentication).install(files).build()
      }
    }
  }

  /// `lupine queue run`.
  struct QueueRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Runs the transfers of the folder in the foreground.",
      discussion: """
        If a program runs them, it waits and takes over when that program ends. SIGTERM and SIGINT end it within 5 \
        seconds; the transfers continue with the next runner.
        """)
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var options: QueueRunnerOptions
    /// A descriptor that gets `ready`, or the reason why the runner cannot begin.
    @Option(help: .hidden)
    var report: Int32?

    func run() async throws {
      let place = folder.path
      let report = RunnerReport(report)
      let log = report.isDetached ? RunnerLog("\(place)/log") : nil
      defer { log?.cancel() }
      do {
        let runner = try options.runner(at: place)
        let signals = EndingSignals { runner.stop() }
        if report.isDetached { _ = FileManager.default.changeCurrentDirectoryPath("/") }
        try await runner.run { report.send("ready") }
        signals.cancel()
      } catch {
        report.send("\((error as? LupineError)?.message ?? "\(error)")")
        throw error
      }
    }
  }

  /// `lupine queue start`.
  struct QueueStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Starts a runner that stays when the terminal is closed.",
      discussion: """
        It returns when the runner is ready. The runner's log is the file `log` in the folder; after a MiB it becomes \
        `log.1`, and a new one begins.
        """)
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var options: QueueRunnerOptions

    func run() async throws {
      // Makes the folder, and refuses one that cannot be used.
      if let status = try await TransferRunner.status(at: folder.at) {
        throw CommandFailure(
          "Process \(status.process) runs the transfers of \(folder.at.debugDescription) already. "
            + "End it with: lupine queue stop --at \(folder.at)")
      }
      let log = "\(folder.path)/log"
      let arguments = ["lupine", "queue", "run", "--at", folder.path, "--report", "3"] + options.arguments
      let (process, answer) = try DetachedProcess.start(arguments, log: log)
      guard answer == "ready" else {
        throw CommandFailure(answer.isEmpty ? "The runner has ended. Its log says why: \(log)" : answer)
      }
      print("Process \(process) runs the transfers of \(folder.path). Its log is \(log)")
    }
  }

  /// `lupine queue stop`.
  struct QueueStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop", abstract: "Ends the runner of the folder, and waits for that, 5 seconds at most.")
    @OptionGroup var folder: QueueFolderOption

    func run() async throws {
      guard let process = try await TransferRunner.stop(at: folder.at) else {
        throw CommandFailure(
          "Nothing runs the transfers of \(folder.at.debugDescription). "
            + "A runner starts with: lupine queue start --at \(folder.at)")
      }
      print("Process \(process) has ended.")
    }
  }

  /// `lupine queue unit`.
  struct QueueUnit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unit", abstract: "Prints a unit of systemd for a service of the user that is a runner.")
    @OptionGroup var folder: QueueFolderOption
    @OptionGroup var options: QueueRunnerOptions

    func run() throws {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let arguments = [program, "queue", "run", "--at", folder.path] + options.arguments
      guard !arguments.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
        throw CommandFailure(
          "A path with a control character cannot stand in a unit of systemd. Rename the folder or the file.")
      }
      print(
        """
        # Save this text as ~/.config/systemd/user/lupine-queue.service, and start it with:
        #   systemctl --user daemon-reload
        #   systemctl --user enable --now lupine-queue.service
        #
        # The services of a user end with the last session. After `loginctl enable-linger`, they start with the machine
        # and stay without a session.
        #
        # For a credential that systemd keeps, add under [Service]:
        #   LoadCredential=NAME:/path/of/the/file

        [Unit]
        Description=Transfers of \(Self.escaped(folder.path))

        [Service]
        Type=exec
        ExecStart=\(arguments.map { "\"\(Self.escaped($0).replacing("$", with: "$$"))\"" }.joined(separator: " "))
        Restart=on-failure
        RestartSec=5
        # The runner ends its hooks and itself within 5 seconds.
        KillMode=mixed
        TimeoutStopSec=6
        UMask=0077

        [Install]
        WantedBy=default.target
        """)
    }

    private static func escaped(_ text: String) -> String {
      text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
    }
  }
#endif
