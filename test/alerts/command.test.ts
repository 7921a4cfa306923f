// `alert test`: one signed message to the webhook from the command line, and the receiver's answer.
import { describe, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { Command } from 'commander'
import { Webhook } from 'standardwebhooks'
import { addAlertCommands } from '../../plugins/alerts/command.ts'
import { type CliDeps, Exit } from '../../src/app/command-line/terminal.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const scene = sceneOfEachTest()

const setWebhook = (url: string, secret = SECRET) =>
  appendFileSync(
    scene.path('tollgate.toml'),
    `\n[alerts]\nwebhook_url = "${url}"\nwebhook_secret = "${secret}"\n`,
  )

/** Runs the command with this receiver. */
async function runWith(post: PostWebhook, ...more: string[]) {
  const out: string[] = []
  const program = new Command().option('--data <dir>').option('--json').exitOverride()
  const terminal = { out: (text: string) => out.push(text), err: () => {} }
  const deps = { terminal, env: scene.env, now: Date.now } as unknown as CliDeps
  addAlertCommands(program, deps, post)
  const failure = await program
    .parseAsync(['alert', 'test', '--data', scene.dir, ...more], { from: 'user' })
    .then(() => undefined)
    .catch((thrown: unknown) => thrown)
  return { out: out.join('\n'), failure }
}

test('sends one message that the receiver can verify', async () => {
  setWebhook('https://hooks.example.com/tollgate?token=t0ken')
  const sent: unknown[] = []
  const { out, failure } = await runWith(async (url, { headers, body }) => {
    sent.push([url, new Webhook(SECRET).verify(body, { ...headers })])
    return 204
  })
  expect([out, failure]).toEqual(['hooks.example.com received the test alert (status 204).', undefined])
  const message = expect.objectContaining({
    type: 'alert.test',
    data: expect.objectContaining({ rule: 'test' }),
  })
  expect(sent).toEqual([['https://hooks.example.com/tollgate?token=t0ken', message]])
})

test.each([
  [401, 'check that webhook_secret is the one that the receiver verifies with'],
  [404, 'Check the path of webhook_url.'],
  [503, 'The receiver failed: look in its log.'],
])('an answer %d is a failure, with what to do', async (status, advice) => {
  setWebhook('https://hooks.example.com/tollgate')
  const { out, failure } = await runWith(async () => status, '--json')
  expect(JSON.parse(out)).toMatchObject({ status, sentence: expect.stringContaining(advice) })
  expect(failure).toBeInstanceOf(Exit)
})

describe('a test alert is refused', () => {
  test('without a webhook', async () => {
    expect(await scene.refusal('alert', 'test')).toContain(
      'No webhook is set. Set webhook_url and webhook_secret in [alerts]',
    )
  })

  test('if the variable of the secret is not set here', async () => {
    setWebhook('https://hooks.example.com/tollgate', 'env:ALERT_SECRET')
    expect(await scene.refusal('alert', 'test')).toContain(
      'If the secret is read from a variable, set that, too.',
    )
  })

  test('by a catalogue with mistakes', async () => {
    setWebhook('http://hooks.example.com')
    expect(await scene.refusal('alert', 'test')).toContain('The catalogue has mistakes')
  })

  test('for an address that is not public', async () => {
    setWebhook('https://127.0.0.1/tollgate')
    const { status, out } = await scene.run('alert', 'test')
    expect([status, out]).toEqual([1, expect.stringContaining('Check webhook_url in [alerts].')])
    expect(out).not.toContain('whsec_')
  })
})
