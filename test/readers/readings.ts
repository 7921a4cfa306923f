// Readings of request bodies as servers make them: the answers of a small Go program, if Go is installed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTool, GO } from '../support/tools.ts'

export const KINDS = ['chat', 'messages', 'generate', 'embeddings'] as const
export type Kind = (typeof KINDS)[number]

export interface Reading {
  /** The server refuses the body, so that nothing is served. */
  refused?: true
  model?: string
  stream?: true
  limit: number | null
  candidates: number | null
  text?: string
}

/** One reading by each reader: Go's encoding/json, and two lenient ones. */
export type Readings = Readonly<Record<'go' | 'first' | 'last', Reading>>

export interface Question {
  kind: Kind
  body: Uint8Array | string
}

const go_program = findTool(GO)

export const HAS_GO = go_program !== undefined

let built: Promise<string> | undefined

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-reader-'))
  const binary = join(folder, 'reader')
  const go = Bun.spawn([`${go_program}`, 'build', '-o', binary, join(import.meta.dir, 'reader.go')], {
    env: { ...process.env, GO111MODULE: 'off', GOTOOLCHAIN: 'local' },
    stderr: 'pipe',
  })
  if ((await go.exited) !== 0) throw new Error(`go build: ${await new Response(go.stderr).text()}`)
  process.once('exit', () => void rm(folder, { recursive: true, force: true }))
  return binary
}

/** Runs the Go program once for all bodies. */
export async function readByGo(questions: readonly Question[]): Promise<Readings[]> {
  built ??= build()
  const lines = questions.map(({ kind, body }) =>
    JSON.stringify({ kind, body: Buffer.from(body).toString('base64') }),
  )
  const program = Bun.spawn([await built], { stdin: new Blob([`${lines.join('\n')}\n`]), stderr: 'inherit' })
  const text = await new Response(program.stdout).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
