// The console over providers at known servers: all their hosts are one fake, which answers well until a test refuses.
import { afterAll, afterEach } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Fetch } from '../../src/upstream/transport.ts'
import { fileConsole } from '../support/console.ts'
import { accountFile, tokenAnswer } from '../support/google.ts'
import { folderOfFile } from '../support/test-folder.ts'
import { type Answer, type Script, startUpstream, whole } from '../support/upstream.ts'

export const KEY = 'key-of-the-server-1'

const COMPLETION = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
}
const MESSAGE = {
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'OK.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 2 },
}
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'OK.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
}

/** Answers in place of the good ones of a server and of the token server. */
export interface Refused {
  server?: Answer
  token_server?: Answer
}

const saved = (name: string, entry: string, key: string) => `
[[providers]]
name = "${name}"
${entry}
api_keys = ["${key}"]

[[models]]
id = "of-${name}"
kind = "text"
routes = [{ provider = "${name}", model = "m" }]
price = { input = 1, output = 4 }
`

/**
 * A gateway with a provider at each of three servers, and a model of each; both end after the file's last test.
 * @param more sections of the catalogue
 */
export async function serversConsole(more = '') {
  const key_file = folderOfFile().at('vertex.json')
  writeFileSync(key_file, accountFile('https://oauth2.googleapis.com'))
  let refused: Refused = {}
  afterEach(() => {
    refused = {}
  })
  const servers: Script = (seen) => {
    if (seen.path === '/token') return refused.token_server ?? tokenAnswer(seen, Date.now(), 1)
    if (refused.server) return refused.server
    if (seen.path.includes('/messages')) return whole(MESSAGE)
    return whole(seen.path.includes(':generateContent') ? GEMINI : COMPLETION)
  }
  const upstream = await startUpstream(servers)
  afterAll(() => upstream[Symbol.asyncDispose]())

  const sent: string[] = []
  const network: Fetch = (url, init) => {
    const { pathname, search } = new URL(url)
    if (pathname !== '/token') sent.push(url)
    return fetch(upstream.url + pathname + search, init)
  }
  const { gateway, visit } = await fileConsole({
    catalogue: [
      FIRST_CATALOGUE,
      // Without a cooldown, which the page would show in place of the health.
      saved('azure-here', 'server = "azure"\nresource = "acme"\ncooldown_ms = 0', KEY),
      saved('bedrock-here', 'server = "bedrock"\nregion = "us-east-1"', KEY),
      saved('vertex-here', 'server = "vertex"', `file:${key_file}`),
      more,
    ].join(''),
    network,
  })
  return {
    gateway,
    visit,
    upstream,
    network,
    key_file,
    /** The addresses of requests, except those for tokens. */
    sent,
    /** Sets the answers until the end of the test; a server without one answers well. */
    refuse: (answers: Refused) => {
      refused = answers
    },
    /** The catalogue's text on the disk. */
    file: () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8'),
  }
}

/** Actions of a person in a form. */
export const type = (page: Page, label: string, text: string) =>
  page.getByLabel(label, { exact: true }).fill(text)
export const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
