// Programs that clients are, or that install them: with a time-out, in an environment of their own.

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly stdin?: string
  /** At a low priority, which long installations deserve. */
  readonly low_priority?: boolean
  /** Waits for a status of 0 unless this is set. */
  readonly any_status?: boolean
}

/** Of this process's environment only what finds programs, and what reaches package registries. */
const INHERITED =
  /^(PATH|LANG|LC_ALL|SSL_CERT_.*|.*_PROXY|.*_proxy|GO.*|PIP_.*|npm_config_.*|PYENV_.*|NODE_EXTRA_CA_CERTS)$/

/**
 * Runs a program to its end.
 *
 * @throws Error with what it printed, where it fails or takes too long
 */
export async function runProgram(
  command: readonly string[],
  { cwd, env = {}, timeout_ms, stdin = '', low_priority = false, any_status = false }: ProgramOptions,
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name))
  const child = Bun.spawn([...(low_priority ? ['nice', '-n', '10'] : []), ...command], {
    cwd,
    env: { ...Object.fromEntries(inherited), HOME: cwd, ...env },
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeout_ms,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const status = await child.exited
  if (child.signalCode === 'SIGKILL')
    throw new Error(`${command[0]}: took over ${timeout_ms / 1000} s: ${ends(stderr)}`)
  if (status !== 0 && !any_status)
    throw new Error(`${command[0]}: status ${status}: ${ends(stderr || stdout)}`)
  return { status, stdout, stderr }
}

/** What matters of a long output is at its end. */
const ends = (output: string): string => output.trim().slice(-600)
