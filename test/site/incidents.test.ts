// Incidents: opened, updated and resolved at the console and by commands; refusals; the status page.
import { describe, expect, test } from 'bun:test'
import { recentIncidents } from '../../plugins/site/incidents/incidents.ts'
import { createScene } from '../app/commands/scene.ts'
import { catalogueOf, MODEL, PICTURE, RETIRED } from '../support/catalogue.ts'
import { clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway({
  catalogue: `[site]\nenabled = true\nhidden_models = ["${PICTURE}"]\n${catalogueOf({ upstream_url: 'simulator' })}`,
})
const operator = await signedIn(gateway, 'operator')
await gateway.account('lena')
const NEW = { title: 'Slow answers', text: 'We look into it.' }
const open = (body: object = {}) =>
  operator.json('POST', '/incidents', { ...NEW, ...body }) as Promise<{
    id: number
    state: string
    updates: object[]
  }>
const publicStatus = async () => await (await fetch(new URL('/status.json', gateway.url))).json()

describe('an incident at the console', () => {
  test.each([
    ['no title', { title: ' ' }, /^title: must not be empty/],
    ['a title of several lines', { title: 'a\nb' }, /^title: has control characters/],
    ['a long title', { title: 'x'.repeat(121) }, /^title: has 121 characters; at most 120/],
    ['no text', { text: '\n' }, /^text: must not be empty/],
    ['a long text', { text: 'x'.repeat(4_001) }, /^text: has 4001 characters/],
    ['an override of direction', { text: 'a\u202Eb' }, /^text: has control characters/],
    ['an unknown model', { models: [MODEL, 'none'] }, /^models: the catalogue has no model "none"/],
    ['too many models', { models: Array.from({ length: 51 }, (_, nth) => `m${nth}`) }, /^models: at most 50/],
    ['a resolved incident', { state: 'resolved' }, /^state: a new incident is not resolved/],
    ['an unknown state', { state: 'fine' }, /state/],
    ['another field', { severity: 1 }, /severity/],
  ])('refuses %s', async (_, body, message) => {
    const answer = await operator.send('POST', '/incidents', { body: { ...NEW, ...body } })
    expect(answer.status).toBe(400)
    expect((await errorOf(answer)).message).toMatch(message)
  })

  test('is for the operator alone', async () => {
    const lena = await signedIn(gateway, { account: 'lena' })
    for (const [method, path] of [
      ['GET', '/incidents'],
      ['GET', '/incidents.csv'],
      ['POST', '/incidents'],
      ['GET', '/incidents/1'],
      ['POST', '/incidents/1/updates'],
    ] as const) {
      const init = method === 'POST' ? { body: NEW } : {}
      expect((await lena.send(method, path, init)).status).toBe(403)
      expect((await clientOf(gateway).send(method, path, init)).status).toBe(401)
    }
  })

  test('is opened, updated and resolved, and each step is in the audit log and on the status page', async () => {
    // An incident of a hidden model alone: without its name it would be about the whole service.
    expect(await open({ title: 'No pictures', models: [PICTURE] })).toMatchObject({ unseen: 'models_hidden' })
    const { id, updates } = await open({ models: [MODEL, PICTURE, RETIRED] })
    expect(updates).toHaveLength(1)
    await operator.json('POST', `/incidents/${id}/updates`, {
      text: 'A provider is down.\nStay tuned.',
      state: 'identified',
    })
    const same = await operator.json('POST', `/incidents/${id}/updates`, { text: 'Still down.' })
    expect(same).toMatchObject({ state: 'identified', resolved_at: null })
    const resolved = await operator.json('POST', `/incidents/${id}/updates`, {
      text: 'All is well.',
      state: 'resolved',
    })
    expect(resolved).toMatchObject({ state: 'resolved', resolved_at: expect.any(String), unseen: null })
    const again = await operator.send('POST', `/incidents/${id}/updates`, { body: { text: 'Or not.' } })
    expect([again.status, (await errorOf(again)).message]).toEqual([
      409,
      `Incident ${id} is resolved. Open a new one if it is back.`,
    ])
    expect(await publicStatus()).toMatchObject({
      state: 'working',
      incidents: [
        {
          id,
          state: 'resolved',
          models: [MODEL, RETIRED],
          updates: [
            { text: 'All is well.' },
            { text: 'Still down.' },
            { state: 'identified' },
            { state: 'investigating' },
          ],
        },
      ],
    })
    const { actions } = (await operator.json('GET', '/audit-log')) as { actions: { action: string }[] }
    expect(actions.slice(0, 4).map(({ action }) => action)).toEqual([
      'incident.resolved',
      'incident.updated',
      'incident.updated',
      'incident.opened',
    ])
  })

  test('stays on the status page while it is open, in spite of newer resolved ones', async () => {
    const { id } = await open()
    const { id: newer } = await open()
    await operator.json('POST', `/incidents/${newer}/updates`, { text: 'All is well.', state: 'resolved' })
    const recent = await recentIncidents(gateway.store, { since_ms: 0, limit: 2 })
    expect(recent.map(({ state }) => state)).toEqual(['investigating', 'investigating'])
    expect(recent[0]?.id).toBe(id)
  })

  test('is not found by an unknown id', async () => {
    expect((await operator.send('GET', '/incidents/999')).status).toBe(404)
    expect((await operator.send('POST', '/incidents/999/updates', { body: { text: 'x' } })).status).toBe(404)
    expect((await operator.send('GET', '/incidents/x')).status).toBe(400)
  })
})

describe('incidents by commands', () => {
  const scene = createScene()

  test('are opened, updated, resolved and listed', async () => {
    const opened = await scene.json('incident', 'open', 'Slow answers', '--text', 'We look into it.')
    expect(opened).toMatchObject({ id: 1, state: 'investigating', title: 'Slow answers' })
    expect(
      (await scene.run('incident', 'update', '1', '--text', 'Found it.', '--state', 'identified')).out,
    ).toContain('Incident 1: identified.')
    expect((await scene.run('incident', 'resolve', '1', '--text', 'Done.')).out).toContain(
      'Incident 1: resolved.',
    )
    const { out } = await scene.run('incident', 'list')
    expect(out).toContain('Slow answers')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const log = await scene.json('audit-log')
    expect(log.actions[0]).toMatchObject({ action: 'incident.resolved', command: 'incident resolve' })
  })

  test.each([
    ['no text', ['incident', 'open', 'x'], 2],
    ['an unknown model', ['incident', 'open', 'x', '--text', 'y', '--model', 'none'], 1],
    [
      'a state that a new incident cannot have',
      ['incident', 'open', 'x', '--text', 'y', '--state', 'resolved'],
      2,
    ],
    ['an unknown incident', ['incident', 'update', '99', '--text', 'y'], 1],
    ['a resolved incident', ['incident', 'update', '1', '--text', 'y'], 1],
    ['an id that is not a number', ['incident', 'resolve', 'x', '--text', 'y'], 2],
  ])('refuses %s', async (_, command, status) => {
    expect((await scene.run(...command)).status).toBe(status)
  })
})
