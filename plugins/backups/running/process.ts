// `tollgate backup` and `tollgate backup verify` as child processes of the gateway.
import { Type } from '@sinclair/typebox'
import { startOwnCommand } from '../../../src/app/process/own-process.ts'
import { readJsonAs } from '../../../src/domain/validation.ts'
import type { Progress } from '../making/make.ts'

export interface BackupProcess {
  ended: Promise<BackupResult | { failure: string }>
  /** Stops the process, which removes an unfinished archive. */
  stop(): Promise<void>
}

/** The result of a successful task. */
export interface BackupResult {
  name: string
  files: number
  deleted: readonly string[]
  /** Problems that did not make the task fail. */
  warnings: readonly string[]
}

export type BackupTask = { kind: 'make'; scheduled: boolean } | { kind: 'verify'; name: string }

/** The JSON output of either command. */
const Answer = Type.Object({
  name: Type.String(),
  files: Type.Integer(),
  deleted: Type.Optional(Type.Array(Type.String())),
})
/** A JSON line on standard error. */
const Line = Type.Partial(
  Type.Object({
    progress: Type.Object({ files: Type.Integer(), bytes: Type.Integer(), of_bytes: Type.Integer() }),
    warning: Type.String(),
    error: Type.Object({ message: Type.String() }),
  }),
)

/** The wait before SIGKILL: the copy of the database cannot be interrupted. */
const STOP_MS = 2_000

export function startBackupProcess(
  data_folder: string,
  task: BackupTask,
  onProgress: (progress: Progress) => void,
): BackupProcess {
  const args =
    task.kind === 'make' ? ['--progress', ...(task.scheduled ? ['--scheduled'] : [])] : ['verify', task.name]
  const child = startOwnCommand(['backup', ...args, '--json', '--data', data_folder])
  const read = async () => {
    const [output, { failure, warnings }] = await Promise.all([
      child.stdout.text(),
      readErrors(child.stderr, onProgress),
    ])
    await child.exited
    const answer = readJsonAs(Answer, output)
    if (answer) return { name: answer.name, files: answer.files, deleted: answer.deleted ?? [], warnings }
    return { failure: failure ?? 'it ended without an answer' }
  }
  return {
    ended: read(),
    async stop() {
      child.kill('SIGTERM')
      await Promise.race([child.exited, Bun.sleep(STOP_MS)])
      child.kill('SIGKILL')
    },
  }
}

/** Reads JSON lines: progress, warnings, and the reason of a failure at the end. */
async function readErrors(
  stream: ReadableStream<Uint8Array>,
  onProgress: (progress: Progress) => void,
): Promise<{ failure: string | undefined; warnings: string[] }> {
  const decoder = new TextDecoder()
  let rest = ''
  let failure: string | undefined
  const warnings: string[] = []
  const readLine = (line: string) => {
    const message = readJsonAs(Line, line)
    if (message?.progress) onProgress(message.progress)
    if (message?.warning !== undefined) warnings.push(message.warning)
    if (message?.error) failure = message.error.message
    if (!message && line.trim() !== '') failure ??= line.trim()
  }
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(readLine)
  }
  readLine(rest)
  return { failure, warnings }
}
