// The strict simulated providers as a program: a gateway with the printed catalogue calls each of its servers.
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startTestGateway } from '../support/gateway.ts'

const program = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts'), '--port', '0'], {
  stdout: 'pipe',
  stderr: 'inherit',
})
afterAll(() => program.kill())

async function readCatalogue(): Promise<string> {
  const { value } = await program.stdout.getReader().read()
  return Buffer.from(value ?? []).toString()
}

test('each server answers a call, and Groq refuses an unknown field', async () => {
  const catalogue = await readCatalogue()
  await using gateway = await startTestGateway({ catalogue })
  expect(gateway.started.warnings).toEqual([])
  const key = await gateway.caller()
  const models = [...catalogue.matchAll(/id = "(.*)"\nkind = "text"/g)].map(([, id = '']) => id)
  expect(models).toHaveLength(13)
  const messages = [{ role: 'user', content: 'Why do tides rise?' }]
  for (const model of models) {
    const response = await gateway.call('/v1/chat/completions', { model, messages }, { key })
    expect({ model, status: response.status }).toEqual({ model, status: 200 })
  }
  const [, groq = ''] = /base_url = "(.*groq.*)"/.exec(catalogue) ?? []
  const body = JSON.stringify({ model: 'chat', messages, is_unknown: true })
  const refused = await fetch(`${groq}/chat/completions`, { method: 'POST', body })
  expect({ status: refused.status, text: await refused.text() }).toEqual({
    status: 400,
    text: expect.stringContaining('is_unknown'),
  })
})
