import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { testSender } from './senders.ts'

const python = process.env.PYTHON || 'python3'
const driver = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const missing = (program: string, word: string) =>
  spawnSync(program, [word]).status === 0 ? undefined : `${program} is not installed`

testSender('Python', [python, driver('driver.py')], missing(python, '--version'))
testSender('PHP', ['php', '-d', 'log_errors_max_len=0', driver('driver.php')], missing('php', '--version'))
