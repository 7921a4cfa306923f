// Backups under load: each restores into an empty folder with a clean audit, equal sums, and every file byte for byte.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { temporary } from '../support/temporary.ts'
import { startLoad } from './load.ts'
import { answerHere, answerOf, expectSame } from './support.ts'

const TIMES = IS_LONG ? 20 : 1

test(
  `a backup under load and its restore into an empty folder (times: ${TIMES})`,
  async () => {
    await using load = await startLoad()
    const { data_folder } = load.gateway
    for (let time = 1; time <= TIMES; time++) {
      const before = load.done.calls
      await eventually(
        'calls, images and deletions came',
        () => load.done.calls >= before + 3 && load.done.images > time && load.done.deleted > 0,
      )
      using folder = temporary()
      const archive = folder.at('everything.tar.zst')
      const made = await answerOf(['backup', archive, '--data', data_folder])
      expect([made.clean, made.missing]).toEqual([true, []])
      const restored = folder.at('restored')
      const answer = await answerOf(['restore', archive, '--data', restored])
      expect(answer).toMatchObject({ clean: true, kept_catalogue: null, missing: [], calls: made.calls })
      expect(await answerHere(['audit', '--data', restored])).toMatchObject({ clean: true, findings: [] })
      const { files, calls } = await expectSame(restored, data_folder)
      expect(await Bun.file(join(restored, 'tollgate.toml')).text()).toBe(
        await Bun.file(join(data_folder, 'tollgate.toml')).text(),
      )
      expect(existsSync(join(restored, '.restore'))).toBe(false)
      if (IS_LONG)
        process.stderr.write(
          `${time}: ${calls} calls, ${files} files, deleted meanwhile ${made.deleted_meanwhile.length}\n`,
        )
    }
    expect(load.done.failed).toEqual([])
  },
  TIMES * 60_000,
)
