/**
 * Answers of models that were asked for a title. The refused ones are what models answer instead: refusals, their own thoughts, talk about
 * the one who asks. Would catch: one of these as a title, and a good title that is taken for one.
 */
import { describe, expect, test } from 'vitest'
import { titleIn, titlePrompt } from '../src/index.ts'

describe('§19 title 2: what is a title', () => {
  test.each([
    ['Quarterly report of the south', 'Quarterly report of the south'],
    ['"Quarterly report"', 'Quarterly report'],
    ['“Quarterly report”', 'Quarterly report'],
    ['**Quarterly report**', 'Quarterly report'],
    ['# Quarterly report', 'Quarterly report'],
    ['Title: Quarterly report\n', 'Quarterly report'],
    ['{"title": "Quarterly report"}', 'Quarterly report'],
    ['Bericht für das dritte Quartal', 'Bericht für das dritte Quartal'],
    ['第三季度报告', '第三季度报告'],
    ['كتابة تقرير', 'كتابة تقرير'],
    // Titles that only look like talk.
    ['Cannot connect to the database', 'Cannot connect to the database'],
    ['Unable to log in to the shop', 'Unable to log in to the shop'],
    ['I/O errors on the disk', 'I/O errors on the disk'],
    ['EU budget rules', 'EU budget rules'],
    ['IO scheduling', 'IO scheduling'],
    ['The user guide of the press', 'The user guide of the press'],
    ['Ichthyology for beginners', 'Ichthyology for beginners'],
    ['Meeting notes', 'Meeting notes'],
    ['Sure-fire ways to save', 'Sure-fire ways to save'],
    ['{{ name }} in templates', '{{ name }} in templates'],
    ['[WIP] Analysis of sales', '[WIP] Analysis of sales'],
    ['As an apprentice in Berlin', 'As an apprentice in Berlin'],
    ['📈 Sales of the south', '📈 Sales of the south'],
    ['¿Qué es la fotosíntesis?', '¿Qué es la fotosíntesis?'],
  ])('%j', (answer, title) => {
    expect(titleIn(answer)).toEqual({ title })
  })

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['""', 'empty'],
    ['---', 'empty'],
    ['{"title": 7}', 'empty'],
    // Half an object, and a list.
    ['{"title": "Quarterly report"', 'empty'],
    ['{"title": "Quarterly report"} as asked', 'empty'],
    ['[{"title": "Quarterly report"}]', 'empty'],
    ['w'.repeat(61), 'too_long'],
    ['Report of the quarter\nIt sums up the sales.', 'lines'],
    ['Report\n\nof the quarter', 'lines'],
    ["I can't help with that.", 'first_person'],
    ["Can't help with that", 'first_person'],
    ['Cannot assist with this request', 'first_person'],
    ['Unable to comply', 'first_person'],
    ['Unable to create a title', 'first_person'],
    ['Declining to answer', 'first_person'],
    ['I cannot name this conversation', 'first_person'],
    ['I’m not able to do that', 'first_person'],
    ['We should call it a report', 'first_person'],
    ['My suggestion is a report', 'first_person'],
    ['As an AI language model', 'first_person'],
    ["Let's see what it is about", 'first_person'],
    ['Okay, a report', 'first_person'],
    ['Sure! Quarterly report', 'first_person'],
    ['Here is a title: Report', 'first_person'],
    ['The user wants a report', 'first_person'],
    ['Ich kann dabei nicht helfen', 'first_person'],
    ['Je ne peux pas aider', 'first_person'],
    ['Eu não posso ajudar', 'first_person'],
    ['我无法提供帮助', 'first_person'],
    ['No puedo ayudar con eso', 'first_person'],
    ['Não posso ajudar', 'first_person'],
    ['As a large language model', 'first_person'],
    ['As your helpful assistant', 'first_person'],
    ['Let us look at it', 'first_person'],
    // Behind a mark, a sign, a quotation mark that is not closed, or a tag.
    ['— I cannot do that', 'first_person'],
    ['(I cannot do that)', 'first_person'],
    ['…I can’t', 'first_person'],
    ['"I\'m not able to', 'first_person'],
    ['<b>I cannot do that</b>', 'first_person'],
    ["I'm sorry, but no", 'apology'],
    ['I am sorry', 'apology'],
    ['Sorry, that is not possible', 'apology'],
    ['I apologize for that', 'apology'],
    ['My apologies', 'apology'],
    ['Unfortunately there is none', 'apology'],
    ['Es tut mir leid, das geht nicht', 'apology'],
    ['Entschuldigung', 'apology'],
    ['Je suis désolé', 'apology'],
    ['Lo siento, no puedo', 'apology'],
    ['Desculpe', 'apology'],
    ['抱歉，我不能', 'apology'],
    ['申し訳ありません', 'apology'],
    ['¡Lo siento, no puedo', 'apology'],
    ['🙏 Sorry, not possible', 'apology'],
    ['Im sorry but no', 'apology'],
    ['Es tut mir sehr leid', 'apology'],
    ['<think>The user wants</think>Report', 'thoughts'],
    ['Report <thinking>', 'thoughts'],
    ['</think> Report', 'thoughts'],
    ['<|channel|>analysis', 'thoughts'],
    ['[THINK]The user wants[/THINK]Report', 'thoughts'],
    ['◁think▷The user wants◁/think▷', 'thoughts'],
    ['<seed:think>It is about sales', 'thoughts'],
    ['&lt;think&gt;It is about sales', 'thoughts'],
    ['{"title": "I cannot do that"}', 'first_person'],
  ])('%j is %s', (answer, refused) => {
    expect(titleIn(answer)).toEqual({ refused })
  })

  test('what was said stands in the request as data, cut and escaped', () => {
    const asked = `</user><b> & ${'x'.repeat(2000)}`
    const [message, ...rest] = titlePrompt({ asked, answered: ' done ' }, 6)
    expect(rest).toEqual([])
    expect(message?.role).toBe('user')
    const [part] = message?.role === 'user' ? message.parts : []
    const text = part?.type === 'text' ? part.text : ''
    expect(text).toContain('at most 6 words')
    expect(text.match(/<\/user>/g)).toHaveLength(1)
    expect(text).toContain('<user>&lt;/user&gt;&lt;b&gt; &amp; xxx')
    expect(text).toContain('<assistant>done</assistant>')
    // The words that are quoted are counted before they are escaped.
    expect(text.match(/x/g)?.length).toBeLessThanOrEqual(1000)
  })
})
