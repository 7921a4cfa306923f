// Texts that keep a careless regular expression busy for minutes, each with its reader.
// As a program, it runs all readers and prints the name of each that finishes.
import { compileModelPatterns } from '../../src/access/model-patterns.ts'
import { commentsOfSecrets, hiddenInComments } from '../../src/catalogue/secret-comments.ts'
import { beforeBlankLines } from '../../src/catalogue/toml-lines.ts'
import { placesOf } from '../../src/catalogue/toml-places.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { callerAddress } from '../../src/http/forwarded.ts'
import { safeFileName } from '../../src/library/names.ts'
import { extras } from '../../src/protocols/gemini/extras.ts'
import { generationOf } from '../../src/protocols/gemini/model.ts'
import { baseUrlAdvice as nativeAdvice } from '../../src/protocols/gemini/target.ts'
import { baseUrlAdvice as chatAdvice } from '../../src/protocols/openai/target.ts'
import { withoutComments } from '../../src/protocols/wire/sse.ts'
import { compileGlobs } from '../../src/utilities/glob.ts'
import { createRandom } from '../providers/random.ts'
import { valueFor } from '../providers/schema.ts'
import { chooseFunctions } from '../providers/tool-choice.ts'

const MANY = 1_000_000
const many = (text: string, times = MANY): string => text.repeat(times)

const checkFileUri = (fileUri: string) =>
  extras.rejectRemembered({ contents: [{ parts: [{ fileData: { fileUri } }] }] })

const chooseBy = (last_text: string) =>
  chooseFunctions({
    functions: [{ name: 'f', schema: {} }],
    calling: 'any',
    results: [],
    parallel: true,
    last_text,
  })
const generate = (schema: object) => valueFor(schema, createRandom('x'), 'some words')

/** A key's patterns and the ids of models have at most 128 characters; most texts here are far longer. */
export const EVIL: Readonly<Record<string, () => unknown>> = {
  'a pattern of 120 stars': () => compileModelPatterns([`${many('*', 120)}Z`])(many('a', 128)),
  'a pattern *a*a*a…': () => compileModelPatterns([`${many('*a', 60)}*Z`])(many('a', 128)),
  '200 such patterns on 10,000 ids': () => {
    const matches = compileModelPatterns(Array.from({ length: 200 }, () => `${many('*a', 60)}b*`))
    return Array.from({ length: 10_000 }, (_, id) => matches(`model-${id}-aaaaaaaaaaaaaa`))
  },
  'a glob of a million stars': () => compileGlobs([`${many('*')}Z`])(many('a')),
  'a file name of slashes': () => safeFileName(`${many('a')}/`),
  'a file name of dots': () => safeFileName(many('a.')),
  'an address of a file whose host ends in dots': () => checkFileUri(`https://a${many('.')}b/`),
  'an address of a file with a long version': () => checkFileUri(`https://a.b/v${many('1')}`),
  'a Forwarded header of quotes': () =>
    callerAddress('127.0.0.1', new Headers({ forwarded: `for="${many('\\"', 500_000)}` }), () => true),
  'an amount with zeros before its last digit': () => parseUsd(`0.${many('0')}1`),
  'a model called gemini-gemini-…': () => generationOf(many('gemini-')),
  'a native address of slashes': () => nativeAdvice(new URL(`https://a.b${many('/')}x`)),
  'a native address of versions': () => nativeAdvice(new URL(`https://a.b${many('/v1/models', 100_000)}x`)),
  'a chat address of slashes': () => chatAdvice(new URL(`https://a.b${many('/')}x`)),
  'comments of an event by carriage returns': () => withoutComments(`:${many(':\r')}`),
  'comments of a catalogue, of brackets and headers': () =>
    hiddenInComments(
      placesOf(many(`#${many(' ', 250)}${many('[', 250)}${many('headers', 70)}\n`, 200)),
      new Set(),
    ),
  'comments of a catalogue, of digits, dots and long words': () =>
    hiddenInComments(placesOf(`# x = ${many('1.', 100_000)}${many('a', 100_000)}\n`), new Set()),
  'comments above a key of a catalogue': () =>
    commentsOfSecrets(placesOf(`${many('# a\n', 20_000)}[metrics]\ntoken = "a-secret-of-metrics"\n`)),
  'blank lines of a catalogue': () => beforeBlankLines(`${many('\n')}x`, MANY + 1),
  'tags of a prompt to the simulator': () => chooseBy(many('<a>')),
  'tags of a prompt to the simulator, each another': () =>
    chooseBy(Array.from({ length: 100_000 }, (_, at) => `<a${at}>`).join('')),
  'a schema for the simulator: a long list': () => generate({ type: 'array', minItems: 1e9 }),
  'a schema for the simulator: lists in lists': () =>
    generate(
      Array.from({ length: 20 }).reduce<object>((items) => ({ type: 'array', minItems: 100, items }), {
        type: 'string',
      }),
    ),
  'a schema for the simulator: a long text': () => generate({ type: 'string', minLength: 1e12 }),
  'a schema for the simulator that leads back to itself': () => generate({ anyOf: [{ $ref: '#/' }, {}] }),
}

if (import.meta.main)
  for (const [name, read] of Object.entries(EVIL)) {
    try {
      read()
    } catch {
      // A refusal counts as read.
    }
    process.stdout.write(`${name}\n`)
  }
