// The progress line of long commands: its text; it appears only on a terminal, and disappears at the end.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { progressText, type Step, withProgress } from '../../../src/app/commands/progress.ts'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'

setDefaultTimeout(60_000)

const MB = 1_000_000
const bytes = (done: number, of?: number): Step => ({ what: 'Packing', done, of, unit: 'bytes' })
const rules = (done: number, of?: number): Step => ({ what: 'Checking', done, of, unit: 'rules' })

describe('the line has the step, its share, its speed and the time left', () => {
  test.each<[text: string, step: Step, elapsed_ms: number, columns: number]>([
    ['Packing', bytes(0), 0, 80],
    ['Packing  0 bytes of 85.3 MB  0%', bytes(0, 85.3 * MB), 0, 80],
    ['Packing  12.4 of 85.3 MB  14%', bytes(12.4 * MB, 85.3 * MB), 999, 80],
    ['Packing  12.4 of 85.3 MB  14%  3.1 MB/s  24 s left', bytes(12.4 * MB, 85.3 * MB), 4_000, 80],
    ['Packing  900 kB of 2.0 MB  45%  900 kB/s  2 s left', bytes(900_000, 2 * MB), 1_000, 80],
    ['Packing  2.0 of 2.0 MB  100%  1.0 MB/s  0 s left', bytes(2 * MB, 2 * MB), 2_000, 80],
    // More than the expected size.
    ['Packing  2.0 of 2.0 MB  100%  3.0 MB/s  0 s left', bytes(3 * MB, 2 * MB), 1_000, 80],
    ['Packing  3.0 MB  1.5 MB/s', bytes(3 * MB), 2_000, 80],
    ['Packing  0 bytes of 2.0 MB  0%', bytes(0, 2 * MB), 5_000, 80],
    ['Packing  0 of 0 bytes', bytes(0, 0), 5_000, 80],
    ['Packing  1 bytes of 1.0 kB  0%  1 bytes/s  16 min 39 s left', bytes(1, 1_000), 1_000, 80],
    ['Packing  1.0 MB of 20.0 GB  0%  1.0 MB/s  5 h 33 min left', bytes(MB, 20_000 * MB), 1_000, 80],
    ['Checking  3 of 33 rules  9%', rules(3, 33), 500, 80],
    ['Checking  3 of 33 rules  9%  2.0/s  15 s left', rules(3, 33), 1_500, 80],
    ['Checking  300 of 900 rules  33%  300/s  2 s left', rules(300, 900), 1_000, 80],
    // The last column stays free.
    ['Checking  3 of 33 rules  9%  15 s left', rules(3, 33), 1_500, 45],
    ['Checking  3 of 33 rules  9%  15 s left', rules(3, 33), 1_500, 39],
    ['Checking  3 of 33 rules  9%', rules(3, 33), 1_500, 38],
    ['Checking  9%', rules(3, 33), 1_500, 20],
    ['Checking', rules(3, 33), 1_500, 10],
    ['Chec', rules(3, 33), 1_500, 5],
    ['', rules(3, 33), 1_500, 0],
  ])('%s', (text, step, elapsed_ms, columns) => {
    expect(progressText(step, elapsed_ms, columns)).toBe(text)
  })
})

describe('a command', () => {
  /** The final screen: a line feed begins a line, a carriage return overwrites it. */
  function screenOf(written: string): string {
    const lines = written.replaceAll('\r\n', '\n').split('\n')
    return lines
      .map((line) =>
        line
          .split('\r')
          .reduce((over, text) => text + over.slice(text.length), '')
          .trimEnd(),
      )
      .join('\n')
  }

  async function runSteps(steps: [at_ms: number, step: Step][], { json = false, is_terminal = true } = {}) {
    const writes: string[] = []
    let now_ms = 0
    const terminal = {
      out: () => {},
      err: () => {},
      progress: is_terminal
        ? { columns: () => 80, write: (text: string) => void writes.push(text) }
        : undefined,
    }
    const ended = await withProgress({ terminal, monotonic_ms: () => now_ms }, json, (show) => {
      for (const [at_ms, step] of steps) {
        now_ms = at_ms
        show(step)
      }
      return screenOf(writes.join(''))
    })
    return { meanwhile: ended, writes: writes.length, at_the_end: screenOf(writes.join('')) }
  }

  test('shows the first step at once, then ten times a second at most, and clears the line', async () => {
    const steps = Array.from({ length: 1_000 }, (_, ms): [number, Step] => [ms, rules(ms, 1_000)])
    const { meanwhile, writes, at_the_end } = await runSteps(steps)
    expect(meanwhile).toBe('Checking  900 of 1000 rules  90%')
    expect(writes).toBe(10 + 1)
    expect(at_the_end).toBe('')
  })

  test('overwrites a longer line with a shorter one, and measures each step from its own start', async () => {
    const { meanwhile } = await runSteps([
      [0, { what: 'Copying the database', done: 0, unit: 'bytes' }],
      [5_000, bytes(MB, 2 * MB)],
    ])
    expect(meanwhile).toBe('Packing  1.0 of 2.0 MB  50%')
  })

  test.each([{ json: true }, { is_terminal: false }])('shows nothing with %p', async (options) => {
    expect(await runSteps([[0, rules(1, 2)]], options)).toEqual({ meanwhile: '', writes: 0, at_the_end: '' })
  })

  test('clears the line when it fails, too', async () => {
    const writes: string[] = []
    const terminal = {
      out: () => {},
      err: () => {},
      progress: { columns: () => 80, write: (text: string) => void writes.push(text) },
    }
    const failing = withProgress({ terminal }, false, (show) => {
      show(rules(1, 2))
      throw new Error('of the work')
    })
    await expect(failing).rejects.toThrow('of the work')
    expect(screenOf(writes.join(''))).toBe('')
  })

  describe('in a real process', () => {
    const folder = temporary()
    const data = folder.at('data')
    const list = folder.at('list.json')
    const archive = folder.at('a.tar.zst')
    const program = commandOf('gateway')
      .map((word) => `'${word}'`)
      .join(' ')
    const line = (args: string) => `${program} ${args} --data '${data}'`

    beforeAll(async () => {
      mkdirSync(data)
      for (const args of ['account create anna', `backup '${archive}'`])
        expect(await Bun.spawn(['bash', '-c', line(args)], { stdout: 'ignore' }).exited).toBe(0)
      const flash = {
        litellm_provider: 'gemini',
        mode: 'chat',
        input_cost_per_token: 3e-7,
        output_cost_per_token: 25e-7,
      }
      writeFileSync(list, JSON.stringify({ 'gemini/gemini-2.5-flash': flash }))
    })
    beforeEach(() => {
      writeFileSync(
        `${data}/tollgate.toml`,
        `[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["not-a-key"]

[[models]]
id = "flash"
kind = "text"
routes = [{ provider = "google", model = "gemini-2.5-flash" }]
price = { input = 0.3, output = 2 }
`,
      )
    })
    afterAll(() => folder[Symbol.dispose]())

    /** The output of a command at a terminal of 80 columns. */
    async function atTerminal(command: string) {
      const child = Bun.spawn(['script', '-qec', `stty cols 80; ${command}`, '/dev/null'], {
        stdin: 'ignore',
        stdout: 'pipe',
      })
      return await child.stdout.text()
    }

    const COMMANDS: [args: string, step: string, answer: string][] = [
      ['audit', 'Checking  0 of ', 'Clean'],
      [`backup '${folder.at('b')}'`, 'Packing  ', 'Not encrypted'],
      [`account export anna --out '${folder.at('b')}.anna'`, 'Packing  ', 'rows 2, files 0'],
      [`backup verify '${archive}'`, 'Unpacking  ', 'It can be restored.'],
      [`prices import '${list}' --markup 0% --yes`, 'Changing prices  0 of 1 models', 'Changes: '],
      [`restore '${archive}' --to '${folder.at('b')}.restored'`, 'Unpacking  ', 'all hashes match'],
    ]

    test.each(COMMANDS)('%s shows no progress in a pipe', async (args, step, answer) => {
      const child = Bun.spawn(['bash', '-c', line(args.replace(folder.at('b'), folder.at('c')))], {
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
      expect(out).toContain(answer)
      expect(out + err).not.toContain(step)
      expect(out + err).not.toContain('\r')
    })

    test.each(COMMANDS)('%s shows its progress on a terminal, then clears it', async (args, step, answer) => {
      const written = await atTerminal(line(args))
      expect(written).toContain(step)
      const screen = screenOf(written)
      expect(screen).toContain(answer)
      expect(screen).not.toContain(step)
      expect(written.split(/[\r\n]+/).filter((text) => text.startsWith(step) && text.length > 79)).toEqual([])
    })

    test('SIGINT during `backup verify` clears the line and leaves no folder', async () => {
      const place = folder.at('tmp')
      mkdirSync(place)
      const fifo = folder.at('fifo')
      Bun.spawnSync(['mkfifo', fifo])
      // The archive never ends. The signal of Ctrl-C is sent once the line appears.
      const pid = folder.at('pid')
      const child = Bun.spawn(
        [
          'script',
          '-qec',
          `exec 3<> '${fifo}'; head -c 40 '${archive}' >&3; echo $$ > '${pid}'; TMPDIR='${place}' exec ${line(`backup verify '${fifo}'`)}`,
          '/dev/null',
        ],
        { stdin: 'ignore', stdout: 'pipe' },
      )
      let written = ''
      let is_sent = false
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        written += text
        if (is_sent || !written.includes('Unpacking')) continue
        process.kill(Number(readFileSync(pid, 'utf8')), 'SIGINT')
        is_sent = true
      }
      expect(written).toContain('Unpacking')
      expect(screenOf(written)).not.toContain('Unpacking')
      expect(readdirSync(place)).toEqual([])
      expect(existsSync(fifo)).toBe(true)
    })
  })
})
