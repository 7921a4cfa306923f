// The Chromium of a development dependency, with the libraries and fonts that a bare machine lacks, unpacked at its first use.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** The package supports this platform only. */
export const IS_BUNDLED = process.platform === 'linux' && process.arch === 'x64'

const PACKAGE = join(dirname(Bun.resolveSync('@sparticuz/chromium', import.meta.dir)), '..')
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
const FOLDER = join(import.meta.dir, '../../node_modules/.cache', `tollgate-browser-${version}`)
const EXECUTABLE_MODE = 0o755
const decompress = promisify(brotliDecompress)

/** The package's fonts and libraries are the only ones, so that pages look alike on every machine. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${FOLDER}/fonts</dir>
  <cachedir>${FOLDER}/fonts-cache</cachedir>
</fontconfig>
`

export interface BrowserProgram {
  path: string
  env: Record<string, string>
}

/** @returns the program's path and its environment variables */
export async function bundledBrowser(): Promise<BrowserProgram> {
  if (!existsSync(FOLDER)) await unpack()
  return {
    path: join(FOLDER, 'chromium'),
    env: { LD_LIBRARY_PATH: join(FOLDER, 'lib'), FONTCONFIG_FILE: join(FOLDER, 'fonts.conf') },
  }
}

/** Unpacks into a folder of its own, since several processes may do so at once: the first one's stays. */
async function unpack(): Promise<void> {
  mkdirSync(dirname(FOLDER), { recursive: true })
  const made = mkdtempSync(`${FOLDER}-`)
  try {
    const [program, libraries, fonts] = await Promise.all([
      readPart('chromium.br'),
      readPart('al2023.tar.br'),
      readPart('fonts.tar.br'),
    ])
    writeFileSync(join(made, 'chromium'), program, { mode: EXECUTABLE_MODE })
    for (const archive of [libraries, fonts]) await new Bun.Archive(archive).extract(made)
    writeFileSync(join(made, 'fonts.conf'), FONTS)
    renameSync(made, FOLDER)
  } catch (thrown) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(FOLDER)) throw thrown
  }
}

const readPart = (file: string) => decompress(readFileSync(join(PACKAGE, 'bin', file)))
