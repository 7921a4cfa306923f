// Contents of callers' requests and responses: hidden from auditors on every page and in every file.
import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { consoleSession, sessionsOf } from '../console/portal.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
const { alice } = await sessionsOf(gateway)
const auditor = await consoleSession(gateway, { staff: 'auditor' })
const support = await consoleSession(gateway, { staff: 'support' })
const PROMPT = 'a lighthouse nobody knows of'
const NAME = 'my-unseen-picture.png'

const generated = await alice.ask('/console/api/play/images', { model: 'sim-image', prompt: PROMPT })
const { svc_generation_ids: [image = ''] = [] } = (await generated.json()) as {
  svc_generation_ids?: string[]
}
const form = new FormData()
const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
form.append('files', new File([new Uint8Array(png)], NAME, { type: 'image/png' }))
const upload = await alice.askRaw('/console/api/files', form)
const { uploaded } = (await upload.json()) as { uploaded: { key: string }[] }
const file = encodeURIComponent(uploaded[0]?.key ?? '')
const QUESTION = 'tell me of the unseen lighthouse'
await (
  await alice.ask('/console/api/play/chat', {
    model: 'sim-flash',
    messages: [{ role: 'user', content: QUESTION }],
  })
).text()
const { calls } = (await (await alice.ask('/console/api/calls')).json()) as {
  calls: { request_id: string }[]
}

const [key] = await gateway.store.rows<{ id: number }>('SELECT key_id AS id FROM calls ORDER BY id LIMIT 1')
const API = '/console/api'
const TEXTS = [PROMPT, NAME, QUESTION, 'unseen lighthouse']

test('the account sees its contents, and support sees them on request', async () => {
  for (const viewer of [alice, support]) {
    const query = viewer === support ? '?content=shown' : ''
    expect(await (await viewer.ask(`${API}/images${query}`)).text()).toContain(PROMPT)
    const files = viewer === support ? '?account=alice&content=shown' : ''
    expect(await (await viewer.ask(`${API}/files${files}`)).text()).toContain(NAME)
    expect((await viewer.ask(`${API}/images/${image}/picture${query}`)).status).toBe(200)
  }
  expect(await (await support.ask(`${API}/images`)).text()).not.toContain(PROMPT)
})

describe('an auditor reads lists and pages without contents', () => {
  test.each([
    ['images'],
    ['images.csv'],
    [`images/${image}`],
    ['files?account=alice'],
    ['files.csv?account=alice'],
    ...calls.map(({ request_id }) => [`calls/${request_id}`]),
    ['calls'],
    ['calls.csv'],
    ['refusals'],
    ['play?account=alice'],
    ['search?q=lighthouse'],
    ['search?q=unseen'],
    ['audit-log?limit=1000'],
    ['overview'],
    ['failed-calls'],
    ['history'],
    ['history.csv'],
    ['start'],
    ['mails'],
    ['entries'],
    [`first-call?key_id=${key?.id}`],
  ])('%s', async (path) => {
    const answer = await auditor.ask(`${API}/${path}`)
    const text = await answer.text()
    expect([path, answer.status, TEXTS.filter((one) => text.includes(one))]).toEqual([path, 200, []])
  })
})

describe('an auditor who requests contents is refused', () => {
  test.each([
    ['images?content=shown'],
    ['images.csv?content=shown'],
    [`images/${image}?content=shown`],
    [`images/${image}/picture`],
    [`images/${image}/picture?content=shown`],
    [`images/${image}/thumbnail?content=shown`],
    ['files?account=alice&content=shown'],
    ['files.csv?account=alice&content=shown'],
    [`files/picture?key=${file}`],
    [`files/picture?key=${file}&content=shown`],
    [`files/thumbnail?key=${file}&content=shown`],
  ])('%s', async (path) => {
    const answer = await auditor.ask(`${API}/${path}`)
    expect([path, answer.status]).toEqual([path, 403])
    expect(((await answer.json()) as { error: object }).error).toMatchObject({
      code: 'role_may_not',
      message: 'Your role is auditor, which may not do this. Ask an operator.',
    })
  })

  test('and cannot make calls for the account', async () => {
    for (const path of ['play/chat', 'play/images', 'play/key'])
      expect((await auditor.ask(`${API}/${path}?account=alice`, {})).status).toBe(403)
  })
})
