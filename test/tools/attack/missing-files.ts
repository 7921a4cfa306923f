// Folders of images, or single files of them, that are missing at a start and back at the next one.

import { type Away, pathsIn, takeFiles, takeFolder } from '../../library/away.ts'
import { catalogueOf, PROVIDER } from '../../support/catalogue.ts'
import { type Restarts, type Run, restarts } from '../../support/restarts.ts'
import { modelSection } from '../../support/sections.ts'
import { formOf, pictureOf } from '../../upload/support.ts'
import type { Attack } from './attack.ts'

const ROUNDS = 12
const UPLOADS = 5
const IMAGES = 4
const FORM = 'multipart/form-data; boundary=a-boundary'
const MODEL = modelSection(
  'drawing',
  { [PROVIDER]: 'image' },
  { kind: 'image', price: 'per_image = 0', more: 'max_n_per_request = 4' },
)

/** The files that are moved away in a round. */
const AWAY: readonly ((folder: string) => Promise<Away[]>)[] = [
  async (folder) => [await takeFolder(folder, 'images', 'nothing')],
  async (folder) => [await takeFolder(folder, 'files', 'empty folder')],
  async (folder) => [
    await takeFolder(folder, 'images', 'empty folder'),
    await takeFolder(folder, 'files', 'nothing'),
  ],
  async (folder) => [
    await takeFiles(
      folder,
      (await pathsIn(folder)).filter((_, at) => at % 3 === 0),
    ),
  ],
]

/** Uploads and generates images. @returns the addresses of all of them */
async function fill(run: Run): Promise<string[]> {
  const body = formOf(Array.from({ length: UPLOADS }, (_, at) => ({ bytes: pictureOf(1_000 + at) })))
  const uploaded = await run.call('/api/v1/upload', {
    method: 'POST',
    body,
    headers: { 'content-type': FORM },
  })
  const { uploaded: files } = (await uploaded.json()) as { uploaded: { key: string }[] }
  const order = { model: 'drawing', prompt: 'a cat', n: IMAGES }
  const made = await run.call('/v1/images/generations', { method: 'POST', body: JSON.stringify(order) })
  const { svc_generation_ids } = (await made.json()) as { svc_generation_ids: string[] }
  return [
    ...files.map(({ key }) => `/api/v1/files/${key}`),
    ...svc_generation_ids.map((id) => `/api/images/${id}`),
  ]
}

/** Reads each address. @returns the statuses */
async function statusesOf(run: Run, addresses: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(addresses.map((address) => run.call(address)))
  await Promise.all(answers.map((answer) => answer.bytes()))
  return answers.map(({ status }) => status)
}

/** Starts the gateway while files are missing. @returns whether it refused */
async function startWithout(gateway: Restarts, addresses: readonly string[]): Promise<boolean> {
  const refused = await gateway.start().then(
    (run) => run.stop().then(() => false),
    // The refusal is expected; the suite tests its words.
    () => true,
  )
  const run = await gateway.start({ accept_missing_files: true })
  await statusesOf(run, addresses)
  await run.stop()
  return refused
}

export const missingFiles: Attack = {
  name: 'missing-files',
  description: 'images/ and files/ away at a start, and back later',
  async run({ rounds }) {
    const total = ROUNDS * rounds
    using gateway = await restarts(catalogueOf({ upstream_url: 'simulator', more: MODEL }))
    const addresses: string[] = []
    let [refusals, folders_away, lost] = [0, 0, 0]
    for (let round = 0; round < total; round += 1) {
      const first = await gateway.start()
      addresses.push(...(await fill(first)))
      await first.stop()
      const take = AWAY[round % AWAY.length] ?? AWAY[0]
      const away = (await take?.(gateway.folder.path)) ?? []
      if (round % AWAY.length < 3) folders_away += 1
      if (await startWithout(gateway, addresses)) refusals += 1
      for (const { back } of away) await back()
      const again = await gateway.start()
      lost += (await statusesOf(again, addresses)).filter((status) => status !== 200).length
      await again.stop()
      addresses.splice(0, Math.max(0, addresses.length - 40))
    }
    return {
      tried: `${total} rounds, ${total * (UPLOADS + IMAGES)} images`,
      held: lost === 0 && refusals === folders_away,
      figures: `${lost} reads refused after the files were back; ${refusals} of ${folders_away} starts without a folder refused`,
    }
  },
}
