// The list of clients in the guides for callers: clients that share a line, failures, and its place in a guide.
import { describe, expect, test } from 'bun:test'
import { AGENTS } from './agents.ts'
import type { Client } from './client.ts'
import { FEATURES, type Feature } from './feature.ts'
import { GO_CLIENTS } from './go.ts'
import { GUIDES, LIST, listOf, replacePlace, TABLE, WEBSOCKET } from './list.ts'
import { NPM_CLIENTS } from './npm.ts'
import { PYTHON_CLIENTS } from './python.ts'
import type { Result } from './results.ts'

function resultOf(title: string, features: readonly Feature[], wrong?: Feature): Result {
  const client: Client = {
    name: title,
    title,
    version: '1.0',
    group: 'Python',
    protocol: 'openai',
    features,
    show: () => Promise.reject(new Error('not run')),
  }
  const verdicts = Object.fromEntries(features.map((each) => [each, each === wrong ? { wrong: 'x' } : 'yes']))
  return { client, verdicts, day: '2026-11-22' }
}

describe('the list of clients', () => {
  test('has a line for clients with the same features, and names failures', () => {
    const results = [
      resultOf('one', FEATURES),
      resultOf('two', ['schema', 'errors']),
      resultOf('three', FEATURES),
      resultOf('four', FEATURES, 'image'),
    ]
    expect(listOf(results).split('\n')).toEqual([
      'Last tested on 2026-11-22:',
      '',
      '- **Python** (all): one 1.0; three 1.0',
      '- **Python** (schema, errors): two 1.0',
      '- **Python** (text, stream, tools, schema, errors; **failed: image**): four 1.0',
    ])
  })

  test('has an entry for each client, in the version that was tested last', async () => {
    const [list = ''] =
      /<!-- clients: begin.*clients: end -->/s.exec(await Bun.file(GUIDES[LIST]).text()) ?? []
    const words = list.replaceAll(/\s+/g, ' ')
    const clients = [...NPM_CLIENTS, ...PYTHON_CLIENTS, ...GO_CLIENTS, ...AGENTS]
    const isListed = ({ title }: Client) => words.split(`${title} `).some((rest) => /^\d/.test(rest))
    expect(clients.filter((client) => !isListed(client)).map(({ title }) => title)).toEqual([])
  })

  test('wraps long lines between words', () => {
    const lines = listOf(Array.from({ length: 40 }, (_, i) => resultOf(`client-${i}`, FEATURES))).split('\n')
    expect(lines.filter((line) => line.length > 148)).toEqual([])
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('client-0 1.0; client-1 1.0;')
    expect(lines.at(-1)).toEndWith('client-39 1.0')
  })

  test.each([LIST, TABLE, WEBSOCKET] as const)(
    'replaces the previous text at the place %s',
    async (place) => {
      const readme = await Bun.file(GUIDES[place]).text()
      const [before = '', after = ''] = readme.split(
        new RegExp(`<!-- ${place}: begin.*${place}: end -->`, 's'),
      )
      const found = replacePlace(place, listOf([resultOf('one', FEATURES)]), readme)
      expect(found).toStartWith(before)
      expect(found).toEndWith(after)
      expect(found).toContain('\n\n- **Python** (all): one 1.0\n\n')
      expect(() => replacePlace(place, '', '')).toThrow('needs the lines')
    },
  )
})
