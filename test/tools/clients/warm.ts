// Python with an imported package, for clients whose import takes up to a minute: each program runs in a child process of it.
import { join } from 'node:path'
import { endOf, startProgram } from './process.ts'

interface WarmPython {
  /** Runs a program to its end. @returns its output @throws Error with its output if it fails or takes too long */
  run(job: Job, timeout_ms: number): Promise<string>
}

interface Job {
  readonly program: string
  readonly arguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

const IMPORT_TIMEOUT_MS = 600_000
const FORKER = join(import.meta.dir, 'python/warm.py')

const started = new Map<string, Promise<WarmPython>>()

/**
 * The interpreter that has imported a package; the first use starts it, and it lasts as long as this process.
 *
 * @param python the interpreter of a virtual environment
 * @throws Error if the import fails or takes too long
 */
export function warmPython(python: string, package_name: string): Promise<WarmPython> {
  const name = `${python} ${package_name}`
  const found = started.get(name) ?? start(python, package_name)
  started.set(name, found)
  return found
}

async function start(python: string, package_name: string): Promise<WarmPython> {
  const child = startProgram([python, FORKER, package_name], { cwd: import.meta.dir, stdin: 'pipe' })
  const errors = collect(child.stderr)
  const lines = linesOf(child.stdout)

  async function until(isLast: (line: string) => boolean, timeout_ms: number): Promise<string[]> {
    const read: string[] = []
    const timer = setTimeout(child.end, timeout_ms)
    try {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`${package_name}: ended, or took over ${timeout_ms / 1000} s: ${errors()}`)
        read.push(value)
        if (isLast(value)) return read
      }
    } finally {
      clearTimeout(timer)
    }
  }

  await until((line) => line === 'warm', IMPORT_TIMEOUT_MS)
  return {
    async run(job, timeout_ms) {
      await child.stdin.write(`${JSON.stringify(job)}\n`)
      await child.stdin.flush()
      const read = await until((line) => line.startsWith('{"status": '), timeout_ms)
      const { status } = JSON.parse(read.pop() ?? '')
      if (status !== 0) throw new Error(`${job.program}: status ${status}: ${errors()}`)
      return read.join('\n')
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    const lines = (text + decoder.decode(bytes, { stream: true })).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

/** Reads a stream to its end. @returns a function that returns the relevant part of the text so far */
function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = ''
  const read = async () => {
    for await (const bytes of stream) text += Buffer.from(bytes).toString()
  }
  void read()
  return () => endOf(text)
}
