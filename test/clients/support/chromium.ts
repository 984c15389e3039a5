/** Debian's Chromium, and what a person sees and does in a tab of it. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { eventually } from '../../../packages/server/test/support/http.ts'

const executablePath = '/usr/bin/chromium'

/** Is there no browser, where none must be? */
export const skipBrowser =
  !existsSync(executablePath) && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1'

/** Where a run of the CI keeps what it has seen. */
const reports = process.env['SIGNALBOX_REPORTS']

export interface Tab {
  readonly page: Page
  /** Everything that stands on the page. */
  readonly text: () => Promise<string>
  /** What was said, a line each: by whom, and what. */
  readonly said: () => Promise<readonly string[]>
  /** Waits until the page says so. */
  readonly until: (seen: (text: string) => boolean) => Promise<string>
  readonly click: (button: string) => Promise<void>
  /** Writes a message and sends it by its key. */
  readonly say: (text: string) => Promise<void>
}

/** A person's browser: tabs of it share what it keeps, and what goes wrong in any of them is kept. */
export interface Person {
  readonly open: (url: string) => Promise<Tab>
  /** Errors of the console, answers of 5xx, requests to a third origin. */
  readonly troubles: string[]
  /** A picture of each tab among the reports. */
  readonly photograph: (name: string) => Promise<void>
  readonly leave: () => Promise<void>
}

/** Starts the browser once for many persons. */
export async function startChromium(): Promise<{
  readonly person: (origins: readonly string[]) => Promise<Person>
  readonly close: () => Promise<void>
}> {
  const browser = await chromium.launch({
    executablePath,
    // Root has no other way, and containers have little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
  return {
    person: async (origins) => personIn(await browser.newContext(), origins),
    close: () => browser.close(),
  }
}

function personIn(context: BrowserContext, origins: readonly string[]): Person {
  const troubles: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => troubles.push(`error: ${error.error().message}`))
  context.on('response', (response) => {
    if (response.status() >= 500) troubles.push(`${response.status()} ${response.url()}`)
  })
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && !origins.includes(origin))
      troubles.push(`another origin: ${request.url()}`)
  })
  return {
    troubles,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return tabOf(page)
    },
    photograph: async (name) => {
      if (reports === undefined) return
      const dir = join(reports, 'screens')
      await mkdir(dir, { recursive: true })
      for (const [n, page] of context.pages().entries())
        await page.screenshot({ path: join(dir, `${name.replaceAll(/\W+/g, '-')}-${n + 1}.png`) })
    },
    leave: () => context.close(),
  }
}

function tabOf(page: Page): Tab {
  const text = () => page.locator('body').innerText()
  return {
    page,
    text,
    said: async () => {
      const articles = await page.locator('article').all()
      return Promise.all(
        articles.map(
          async (each) =>
            `${await each.getAttribute('aria-label')}: ${(await each.innerText()).trimEnd()}`,
        ),
      )
    },
    until: async (seen) => {
      try {
        return await eventually(async () => {
          const now = await text()
          return seen(now) && now
        }, 20_000)
      } catch {
        throw new Error(`the page says: ${await text()}`)
      }
    },
    click: (name) => page.getByRole('button', { name, exact: true }).last().click(),
    say: async (words) => {
      const box = page.getByLabel('Message', { exact: true })
      await box.fill(words)
      await box.press('Enter')
    },
  }
}
