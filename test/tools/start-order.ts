// The functions that an executable uses at its start, in commands and in first calls: `bun test/tools/start-order.ts` rewrites their list for the build.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinary, GATEWAY, START_ORDER } from '../../src/build/binary.ts'
import { atEnd } from '../../src/utilities/at-end.ts'
import { FULL } from './bench/effort.ts'
import { run, start, untilListening } from './bench/processes.ts'
import { nowMs } from './bench/recording.ts'
import {
  CHAT_REQUEST,
  forwardedChatStream,
  messagesStream,
  nativeStream,
  WHOLE_REQUEST,
} from './bench/requests.ts'
import { makeDataFolder, startUpstream } from './bench/subjects.ts'

const VERSION = 'v2'
/** Modules, functions and their names. Strings and numbers would add fifteen times the lines, for 1 MiB of memory. */
const KEPT = /^[FMN] /
const { short } = FULL.streams
const CALLS = [
  WHOLE_REQUEST,
  CHAT_REQUEST,
  ...[nativeStream, messagesStream, forwardedChatStream].map((stream) => stream(short)),
]

/** Starts an executable, makes a call of each kind, and runs commands. @returns the lines of its records, each once */
export async function recordStart(executable: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-order-'))
  using _removing = atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const upstream = await startUpstream()
  const data = await makeDataFolder([executable], upstream.port)
  const recordTo = (name: string) => ({ BUN_BYTECODE_ORDER_OUT: join(folder, name) })
  try {
    const gateway = start([executable, 'serve', '--data', data.path], recordTo('serve'))
    await untilListening(data.port, nowMs(), '/healthz')
    for (const { path, headers, key_header, body } of CALLS) {
      const url = `http://127.0.0.1:${data.port}${path}`
      const own = { 'content-type': 'application/json', [key_header]: data.api_key }
      const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...own }, body })
      await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    }
    await gateway.stop()
    await run([executable, '--help'], recordTo('help'))
    await run([executable, 'key', 'list', '--data', data.path], recordTo('list'))
  } finally {
    data.remove()
    await upstream.process.stop()
  }
  const files = ['serve', 'help', 'list'].map((name) => readFileSync(join(folder, name), 'utf8'))
  if (!files.every((file) => file.startsWith(`${VERSION}\n`)))
    throw new Error(`the runtime's format is no longer ${VERSION}`)
  return [...new Set(files.flatMap((file) => file.split('\n')).filter((line) => KEPT.test(line)))]
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-built-'))
  using _removing = atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, 'tollgate')
  await buildBinary({ ...GATEWAY, outfile })
  const lines = await recordStart(outfile)
  writeFileSync(START_ORDER, `${[VERSION, ...lines].join('\n')}\n`)
  process.stdout.write(`${START_ORDER}: ${lines.length} lines\n`)
}
