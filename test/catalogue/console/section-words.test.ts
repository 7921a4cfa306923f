// Words of the settings' sections: each section has a lead, each field a label, and a section without fields a valid example.
import { expect, test } from 'bun:test'
import { wordsOf } from '../../../plugins/catalogue/web/settings/words.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { signedIn } from '../../support/console-session.ts'
import { fileGateway } from '../../support/gateway.ts'

interface Section {
  name: string
  fields: { path: string[] }[]
}

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
const operator = await signedIn(gateway, 'operator')
const { sections } = (await operator.json('GET', '/catalogue/settings')) as { sections: Section[] }

test.each(sections.map(({ name, fields }) => [name, fields] as const))('[%s]', (name, fields) => {
  const { lead, labels, example, noun } = wordsOf(name)
  expect(lead).toMatch(/\.$/)
  const paths = fields.map(({ path }) => path.join('.'))
  expect(paths.filter((path) => labels[path] === undefined)).toEqual([])
  expect(fields.length > 0 || example !== undefined || noun !== undefined).toBe(true)
})

test.each(sections.map(({ name }) => name).filter((name) => wordsOf(name).example !== undefined))(
  'the example of [%s] has no mistake',
  async (name) => {
    const example = wordsOf(name).example?.replaceAll(/env:\w+/g, 'a-secret-of-the-example')
    const text = `${FIRST_CATALOGUE.replace('[server]', '[server]\npublic_url = "https://ai.example.com"')}\n${example}`
    expect(await operator.json('POST', '/catalogue/check', { text })).toMatchObject({
      mistakes: [],
      warnings: [],
    })
  },
)
