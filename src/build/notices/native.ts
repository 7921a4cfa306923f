// The notices of native code: Bun, the libraries linked into it, and the libraries inside libvips.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeFolders } from '../sharp.ts'
import type { Notice } from './packages.ts'

const BUN_SOURCE = 'https://github.com/oven-sh/bun'

/** The libraries linked into Bun, with their licences: https://bun.com/docs/project/license */
const IN_BUN: Readonly<Record<string, string>> = {
  JavaScriptCore: 'LGPL-2.0-or-later AND BSD-2-Clause',
  boringssl: 'Apache-2.0 AND ISC AND OpenSSL',
  brotli: 'MIT',
  libarchive: 'BSD-2-Clause',
  'lol-html': 'BSD-3-Clause',
  'ls-hpack': 'MIT AND BSD-2-Clause',
  'ls-qpack': 'MIT',
  lsquic: 'MIT AND BSD-3-Clause',
  mimalloc: 'MIT',
  picohttp: 'MIT',
  zstd: 'BSD-3-Clause',
  simdutf: 'Apache-2.0',
  tinycc: 'LGPL-2.1-or-later',
  uSockets: 'Apache-2.0',
  uWebsockets: 'Apache-2.0',
  'zlib-ng': 'Zlib',
  'c-ares': 'MIT',
  libicu: 'Unicode-3.0',
  libbase64: 'BSD-2-Clause',
  libuv: 'MIT',
  libdeflate: 'MIT',
  'libjpeg-turbo': 'BSD-3-Clause AND IJG AND Zlib',
  libspng: 'BSD-2-Clause AND libpng-2.0',
  libwebp: 'BSD-3-Clause',
  highway: 'Apache-2.0',
  HdrHistogram_c: 'BSD-2-Clause OR CC0-1.0',
  sqlite: 'blessing',
  Tigerbeetle: 'Apache-2.0',
}

/** Scripts inside Bun that replace Node's modules; all MIT. */
const POLYFILLS =
  'acorn acorn-walk assert browserify-zlib buffer constants-browserify crypto-browserify domain-browser events https-browserify os-browserify path-browserify process punycode querystring-es3 stream-browserify stream-http string_decoder timers-browserify tty-browserify url util vm-browserify'

/** @param version of the executable's runtime */
export function bunNotices(version: string): Notice[] {
  const inside = (name: string, license: string): Notice => ({
    name: `${name} (in Bun)`,
    version: null,
    license,
    text: null,
    remark: `Bun's executable contains no license texts; its license and source are listed at ${BUN_SOURCE}/blob/bun-v${version}/LICENSE.md.`,
  })
  const bun: Notice = {
    name: 'Bun',
    version,
    license: 'MIT',
    text: null,
    remark: `Its executable contains no license text; its source, with everything needed to link it to another JavaScriptCore, is at ${BUN_SOURCE}/tree/bun-v${version}.`,
  }
  return [
    bun,
    ...Object.entries(IN_BUN).map(([name, license]) => inside(name, license)),
    ...POLYFILLS.split(' ').map((name) => inside(name, 'MIT')),
  ]
}

/** A row of the table of libraries in libvips' package. */
const ROW = /^\| ([\w.-]+) +\| (.+?) +\|$/gm
/** The names of `versions.json` that differ from those of the table. */
const VERSIONED_AS: Readonly<Record<string, string>> = { libultrahdr: 'uhdr' }
const LINK = /\[([^\]]+)\]\(([^)]+)\)/g

/** Returns the notices of the libraries inside libvips, from its package's table. @param folder of `@img/sharp-libvips-…` */
export function libvipsNotices(folder: string): Notice[] {
  const versions: Record<string, string> = JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8'))
  const table = readFileSync(join(folder, 'README.md'), 'utf8')
  return [...table.matchAll(ROW)]
    .filter(([, name]) => name !== 'Library')
    .map(([, name = '', terms = '']) => ({
      name: `${name} (in libvips)`,
      version: versions[VERSIONED_AS[name] ?? name] ?? versions[name.replace(/^lib/, '')] ?? null,
      license: terms.replace(LINK, '$1'),
      text: null,
      remark: `Its package names the license, but does not contain its text${[...terms.matchAll(LINK)].map(([, , url]) => `: ${url}`).join('')}. The source of all these libraries: https://github.com/lovell/sharp-libvips.`,
    }))
}

/** Returns the folders of libvips for the installed platforms. @param root the folder with sharp's packages */
export const libvipsFolders = (root: string): string[] =>
  nativeFolders(root).filter((folder) => folder.includes('libvips'))
