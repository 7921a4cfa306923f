// The one door to sharp: nothing is loaded before it is used, and two images at most are open at once.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { withSharp } from '../../src/media/sharp.ts'

const MEDIA = join(import.meta.dir, '../../src/media')

describe('sharp', () => {
  test('is not loaded by a gateway that has seen no image', () => {
    const script = `
      await import('${MEDIA}/inspect.ts')
      await import('${MEDIA}/convert.ts')
      const loaded = () => Object.keys(require.cache).some((path) => path.includes('node_modules/sharp'))
      const before = loaded()
      const { withSharp } = await import('${MEDIA}/sharp.ts')
      await withSharp(async () => {})
      process.stdout.write(JSON.stringify([before, loaded()]))`
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script], { cwd: MEDIA })
    expect(JSON.parse(stdout.toString())).toEqual([false, true])
  })

  test('opens two images at once, however many are asked for', async () => {
    let open = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 9 }, () =>
        withSharp(async () => {
          open += 1
          most = Math.max(most, open)
          await Bun.sleep(1)
          open -= 1
        }),
      ),
    )
    expect(most).toBe(2)
  })
})
