// The programs that read answers by the types of a client: their installation, and their output.
import { cp, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { install, pythonOf } from '../install.ts'
import { runProgram } from '../process.ts'
import type { TypedAnswer } from './answers.ts'

/** An answer that a client cannot read. */
interface Problem {
  /** The answer's index in the list. */
  readonly line: number
  readonly problem: string
}

interface Reader {
  readonly name: string
  /** @returns the command that reads lines of JSON */
  install(cache: string): Promise<{ command: readonly string[]; cwd: string }>
}

const VERSIONS = {
  rust: '0.43.0',
  java: '4.101.0',
  python: ['openai==3.22.1', 'anthropic==2.14.0', 'google-genai==3.6.1'],
} as const
const TIMEOUT_MS = 900_000

const CARGO = `[package]
name = "typed"
version = "0.1.0"
edition = "2021"
[dependencies]
async-openai = { version = "=${VERSIONS.rust}", default-features = false, features = [${['chat-completion', 'response', 'completion', 'embedding', 'image', 'audio', 'moderation', 'model'].map((name) => `"${name}-types"`)}] }
serde = "1"
serde_json = "1"
`

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>typed</groupId><artifactId>typed</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>com.openai</groupId><artifactId>openai-java-core</artifactId><version>${VERSIONS.java}</version></dependency>
  </dependencies>
</project>
`

export const READERS: readonly Reader[] = [
  {
    name: `async-openai ${VERSIONS.rust}`,
    async install(cache) {
      const cwd = join(cache, 'typed-rust')
      await mkdir(join(cwd, 'src'), { recursive: true })
      await Bun.write(join(cwd, 'Cargo.toml'), CARGO)
      await cp(join(import.meta.dir, 'rust/main.rs.txt'), join(cwd, 'src/main.rs'))
      await runInstaller(['cargo', 'build', '--quiet'], cwd)
      return { command: [join(cwd, 'target/debug/typed')], cwd }
    },
  },
  {
    name: `openai-java ${VERSIONS.java}`,
    async install(cache) {
      const cwd = join(cache, 'typed-java')
      await mkdir(cwd, { recursive: true })
      await Bun.write(join(cwd, 'pom.xml'), POM)
      await cp(join(import.meta.dir, 'java/Typed.java.txt'), join(cwd, 'Typed.java'))
      await runInstaller(['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], cwd)
      await runInstaller(['javac', '-cp', 'lib/*', '-d', 'classes', 'Typed.java'], cwd)
      return { command: ['java', '-cp', 'lib/*:classes', 'Typed'], cwd }
    },
  },
  {
    name: VERSIONS.python.join(', '),
    async install(cache) {
      const cwd = await install({ by: 'pip', folder: 'typed-python', packages: [...VERSIONS.python] }, cache)
      return { command: [pythonOf(cwd), join(import.meta.dir, 'python/typed_sdk.py')], cwd }
    },
  },
]

const runInstaller = (command: readonly string[], cwd: string) =>
  runProgram(command, { cwd, env: { HOME: homedir() }, timeout_ms: TIMEOUT_MS, low_priority: true })

/** Makes a client read answers. @returns those that it cannot read */
export async function problemsOf(
  { command, cwd }: Awaited<ReturnType<Reader['install']>>,
  answers: readonly TypedAnswer[],
): Promise<Problem[]> {
  const stdin = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('')
  const { stdout } = await runProgram(command, { cwd, stdin, timeout_ms: TIMEOUT_MS })
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
