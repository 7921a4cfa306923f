// A moderation list: refuses calls whose texts have a word of the file `moderation-words.txt` beside it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TollgatePlugin } from './tollgate.d.ts'

const FILE = 'moderation-words.txt'

const plugin: TollgatePlugin = ({ gateway }) => {
  const words = readWords(join(gateway.folder, FILE))
  const forbidden = new RegExp(words.map(patternOf).join('|'), 'iu')
  gateway.log.info('moderation list read', { words: words.length })

  gateway.beforeCall(({ text, text_is_cut, request_id, account }) => {
    // What is not seen cannot be searched.
    if (text_is_cut)
      return {
        refuse: { status: 413, message: 'The request has too much text to be checked. Send less at once.' },
      }
    if (!forbidden.test(plain(text))) return undefined
    gateway.log.info('refused by the moderation list', { request_id, account })
    return {
      refuse: {
        status: 403,
        message: 'The request has words that are not allowed here. Change it and send it again.',
      },
    }
  })
}

/** A word or a phrase a line; empty lines and those that begin with # are left out. */
function readWords(path: string): string[] {
  const words = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => plain(line).trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (words.length === 0) throw new Error(`${path} has no words. Write one a line.`)
  return words
}

/** Whole words; a `*` at its begin or end lets more stand there: `forbid*` is also in "forbidden". */
function patternOf(word: string): string {
  const bare = word.replace(/^\*|\*$/g, '').replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const begin = word.startsWith('*') ? '' : '(?<![\\p{L}\\p{N}])'
  const end = word.endsWith('*') ? '' : '(?![\\p{L}\\p{N}])'
  return `${begin}${bare}${end}`
}

/** Without what looks different and reads the same: wide letters, soft hyphens, spaces of no width, breaks of lines. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
}

export default plugin
