// `serve`: the gateway as a process, from its banner to its signals.
import { type Command, InvalidArgumentError, Option } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { compileModelPatterns } from '../../access/model-patterns.ts'
import { isServed } from '../../domain/catalogue.ts'
import { createLogger, standardOutput } from '../../observe/log.ts'
import { readListen } from '../command-line/arguments.ts'
import { operatorAccess } from '../command-line/console-link.ts'
import { type Context, contextOf } from '../command-line/context.ts'
import { addExample, type CliDeps, EXIT } from '../command-line/terminal.ts'
import { tryImageLibrary } from '../process/image-library.ts'
import { isCompiled } from '../process/relaunch.ts'
import type { LastStep } from '../process/serve.ts'
import { writeAddressFile } from '../process/served-at.ts'
import { banner, type Demo, type OperatorAccess, reachableUrl } from './banner.ts'
import { DEMO_MODELS, firstStart, hasOnlyDemo } from './first-start.ts'

export function addServeCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('serve'), 'serve --data /var/lib/tollgate --listen 127.0.0.1:8080')
    .summary('Run the gateway.')
    .description(
      'Run the gateway until SIGINT or SIGTERM. SIGHUP reloads the catalogue. The log goes to standard output as ' +
        'JSON lines. The first start creates the data folder, a catalogue to edit, and a demo account with a key.',
    )
    .option(
      '--listen <address:port>',
      'address to listen on, instead of server.listen in the catalogue',
      readListen,
    )
    .addOption(new Option('--port <port>').hideHelp().argParser(refusePort))
    .option('--accept-missing-files', 'start without images/ or files/; their images are shown as missing')
    .action(async (options: ServeFlags, command: Command) => {
      await serve(contextOf(command, deps), options, deps)
    })
}

/** Explains --listen to an operator who tries --port, as other servers have it. */
function refusePort(port: string): never {
  throw new InvalidArgumentError(`Write the address, too: --listen 127.0.0.1:${port}`)
}

const NOTHING = async () => {}

interface ServeFlags {
  listen?: string
  acceptMissingFiles?: boolean
}

async function serve({ folder, json, warn }: Context, flags: ServeFlags, deps: CliDeps): Promise<void> {
  const { env, now, terminal, startGateway } = deps
  const log = createLogger({ level: 'info', secrets: [], destination: standardOutput(), now, gather_ms: 100 })
  const stopRequested = firstSignal()
  // Registered until the end: a SIGHUP without a listener would end the process and its running calls.
  let reload = NOTHING
  const onHangup = () => void reload()
  process.on('SIGHUP', onHangup)
  let demo: Demo | undefined
  let way_in: OperatorAccess = {}
  const gateway = await startGateway({
    data_folder: folder.dir,
    log,
    env,
    listen: flags.listen,
    accept_missing_files: flags.acceptMissingFiles,
    owns_process: true,
    now,
    tryImages: () => tryImageLibrary(folder.dir),
    atLast: async (step) => {
      demo = await makeDemo(step, deps)
      if (step.catalogue.console.enabled) way_in = await operatorAccess(step.db, urlOf(step), deps)
    },
  })
  // From now on hot code is compiled at the usual threshold.
  Bun.unsafe.setJITPolicy(1)
  const catalogue = gateway.catalogue()
  const address = reachableUrl(gateway.url)
  const started = {
    version: manifest.version,
    listens: address,
    url: urlOf({ catalogue, url: gateway.url }),
    catalogue_path: folder.catalogue_path,
    catalogue_version: gateway.shared()?.version,
    data_dir: folder.dir,
    models: catalogue.models.size,
    program: isCompiled() ? 'tollgate' : `npx ${manifest.packageManager} src/main.ts`,
    demo,
    ...way_in,
  }
  const takeBack = writeAddressFile(folder.dir, address)
  for (const line of gateway.warnings) warn(line)
  terminal.err(json ? JSON.stringify({ started }) : banner(started))
  reload = gateway.reload
  await stopRequested
  reload = NOTHING
  process.once('SIGINT', endAtOnce).once('SIGTERM', endAtOnce)
  // Before the folder's lock is released: the next gateway writes its own address.
  takeBack()
  await gateway.stop()
  process.off('SIGHUP', onHangup)
}

/** The gateway's URL for callers. */
const urlOf = ({ catalogue, url }: Pick<LastStep, 'catalogue' | 'url'>): string =>
  catalogue.server.public_url ?? reachableUrl(url)

/** Undefined once there are other accounts. Creates no demo account if the catalogue has no model that its key could call. */
async function makeDemo(
  { catalogue, db, ledger }: LastStep,
  { now, randomBytes }: CliDeps,
): Promise<Demo | undefined> {
  const mayCall = compileModelPatterns(DEMO_MODELS)
  const model = [...catalogue.models.values()].find((one) => isServed(one) && mayCall(one.id))
  if (!model) return undefined
  const key = await firstStart({ db, ledger, now, randomBytes })
  if (key !== undefined) return { key, model: model.id }
  return (await hasOnlyDemo(db)) ? { key, model: model.id } : undefined
}

function firstSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  return promise
}

/** Ends the process on a second signal. The holds of running calls expire at the next start. */
function endAtOnce(): void {
  process.exit(EXIT.failed)
}
