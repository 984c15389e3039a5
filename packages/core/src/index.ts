export { type Json, type JsonObject, JsonObjectSchema, JsonSchema } from './json.ts'
export { ambiguityOf, ambiguousKeyIn } from './ambiguous-json.ts'
export { issueWords } from './issue-words.ts'
export { limits } from './limits.ts'
export {
  AssistantMessage,
  AssistantPart,
  BlobPart,
  ContentPart,
  EditMessage,
  ImagePart,
  ImageType,
  ProviderToolPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  UserMessage,
} from './message.ts'
export {
  FailureClass,
  ModelError,
  ModelErrorClass,
  ModelFailure,
  ModelTurn,
  Redaction,
  SafetyEvidence,
  StreamVerdict,
  SuppressedCall,
  Trip,
  TurnCut,
  Usage,
} from './turn.ts'
export {
  AgentDefinition,
  DetectorConfig,
  EffectMode,
  ModelConfig,
  readDefinition,
  RunField,
  ToolSpec,
} from './definition.ts'
export { NewerError } from './newer.ts'
export { type Machine, machines, type Machines, newestOf } from './machine/versions.ts'
export {
  CompactEffect,
  Effect,
  EffectKind,
  effectTraits,
  MemoryEffect,
  ModelCallEffect,
  outlivesRun,
  PolicyEffect,
  RunStartEffect,
  Timer,
  TitleEffect,
  ToolCallEffect,
  ToolRecallEffect,
  WebhookEffect,
} from './effect.ts'
export { Outcome, RunStatus, StateName } from './outcome.ts'
export { checkAnswer, type CheckedAnswer, FormValue, GivenAnswer } from './question/answer.ts'
export { ClarificationConfig } from './verdict/question/config.ts'
export { askingCall, questionTimer } from './verdict/question/event.ts'
export {
  QuestionField,
  QuestionForm,
  type QuestionKind,
  questionKinds,
  questionTool,
  questionToolName,
} from './question/spec.ts'
export { Todo, Todos, todoTool, todoToolName } from './todo/spec.ts'
export type { Prompt, PromptMessage, ToolResult } from './prompt.ts'
export {
  type Fact,
  type FactPayload,
  type FactType,
  factSchemas,
  isFactType,
} from './event/fact.ts'
export {
  type DecisionPayload,
  type DecisionType,
  decisionSchemas,
  type Verdict,
} from './event/decision.ts'
export { Webhook, WebhookMoment } from './webhook.ts'
export { titleIn } from './title/answer.ts'
export { cleanTitle, wellFormed } from './title/line.ts'
export { titleAnswer, titlePrompt } from './title/request.ts'
export { Title, TitleConfig, TitledBy, TitleRefusal, untitled } from './title/spec.ts'
export { givenPaths, saidTexts, titleOfWords } from './title/words.ts'
export { MemoryConfig, MemoryScope } from './memory/config.ts'
export { DropReason, MemoryAuthor, MemoryChange, MemoryChanges, MemoryKind } from './memory/item.ts'
export { LearnRange, PinnedRange } from './memory/range.ts'
export { MemorySkip } from './memory/skipped.ts'
export {
  emptyMemory,
  foldMemory,
  isSameMoment,
  itemsOf,
  type Memory,
  type MemoryEvent,
  type MemoryItem,
  withoutSourceless,
} from './memory/fold.ts'
export {
  memoryArguments,
  MemoryRefusal,
  memoryToolNames,
  memoryTools,
  SearchMemory,
  searchMemoryName,
  searchMemoryTool,
} from './memory/candidate.ts'
export {
  itemIdOf,
  judgeMemory,
  type MemoryBench,
  type MemoryCandidate,
  type MemoryDraft,
  type MemoryVerdict,
  type NumberedWords,
} from './memory/rules.ts'
export { crowdedOut, worthOf } from './memory/capacity.ts'
export { whyNoFact } from './memory/fact-shaped.ts'
export { likenessOf } from './memory/likeness.ts'
export { ownWords } from './memory/own-words.ts'
export {
  findItems,
  memoryBlock,
  memoryPart,
  nameOfShown,
  type ShownNote,
  notesIn,
  PinnedMemory,
  type SaidItem,
  selectItems,
  shownAs,
  ShownItem,
  ShownNotes,
  tokensOfText,
} from './memory/shown.ts'
export {
  type LearnedEvent,
  type LearnedRun,
  type LearnedTalk,
  mayBeLearned,
  talkOf,
} from './memory/learnable.ts'
export { fittingTalk, learnPrompt, type RunTalk, wordMoments } from './memory/learn-prompt.ts'
export { learnerName, learnerOf } from './memory/learner.ts'
export { dayOf, endOfDay } from './text/day.ts'
export { ledgerSchemas, type LedgerType, PauseTarget } from './event/ledger.ts'
export { type NotePayload, type NoteType, noteSchemas } from './event/note.ts'
export {
  currentVersion,
  eventClass,
  eventSchemas,
  type EventType,
  type FoldableEvent,
  isEventType,
  payloadOf,
  readFact,
  upcast,
} from './event/upcast.ts'
export {
  conversationTypes,
  isConversational,
  effectKindOf,
  eventTypes,
  exampleOf,
  isNotable,
  isObjection,
  linePartsOf,
  reservedTypes,
  searchedPaths,
  sentenceOf,
  settles,
  toneOf,
} from './event/catalogue.ts'
export { legible } from './event/legible.ts'
export { type Decision, decide, statusOfState, type Subject, transitioned } from './decide.ts'
export type { Difference } from './compare-verdicts.ts'
export { createReplay, isCacheOf, type Replay, replay, type Replayed } from './replay.ts'
export { same } from './same.ts'
export { textTail } from './text/clip.ts'
export { initialState, isFinal, persist, revive, type RunState, spentIn } from './state.ts'
export { callIdPrefix, effectId, messageId } from './machine/context.ts'
export { runMachine } from './machine/run-machine.ts'
export { explainSafety } from './verdict/safety/explain.ts'
export { failureOf } from './verdict/safety/failure.ts'
export { createProjection, project, type PromptProjection } from './conversation/project.ts'
export type { CutSize } from './conversation/cuts.ts'
export type { ConversationPart } from './conversation/part.ts'
export { type Clips, withoutMiddle } from './conversation/serialise.ts'
export { type Appendix, createAppendix } from './conversation/appendix.ts'
export { escapedOnce } from './conversation/cut.ts'
export { imagesOf } from './conversation/given-files.ts'
export { escaped } from './text/inert.ts'
export { spokenText } from './conversation/spoken-text.ts'
export { type SkillBefore, skillsBefore } from './conversation/loaded-skills.ts'
export { catalogueOf } from './skill/catalogue.ts'
export { partsOfSkill } from './skill/head.ts'
export {
  alreadyLoaded,
  keptText,
  type ListedFile,
  type LoadedSkill,
  loadedText,
  unknownSkill,
} from './skill/loaded.ts'
export {
  directoryOfSkill,
  loadSkillToolName,
  namedSkills,
  PinnedSkill,
  pinnedSkills,
  skillFile,
  skillName,
  skillsDirectory,
} from './skill/pinned.ts'
export { skillsNamedIn } from './skill/slash.ts'
export { checkPairing, createPairing, type PairingViolation } from './conversation/pairing.ts'
export { resultOf } from './conversation/result.ts'
export { decidedResult } from './conversation/decided-result.ts'
export { PolicyAnswer, PolicyEffectWord, PolicyReason } from './policy-answer.ts'
export { type PolicyRequest, type PureEvaluator } from './verdict/authorization/request.ts'
export {
  AllowlistSpec,
  BashAuditSpec,
  CedarSpec,
  HttpPolicySpec,
  ModulePolicySpec,
  needsIo,
  type PassportEdition,
  PassportSpec,
  PolicySpec,
} from './verdict/authorization/spec.ts'
export { authorize, type Bench, callsOf, judgedOf } from './verdict/authorization/judge.ts'
export type { ArgumentName } from './verdict/authorization/argument-names.ts'
export { JudgedArguments, type JudgedKind, judgedProblem } from './verdict/authorization/judged.ts'
export { noPassports, type PassportEvaluator } from './verdict/authorization/passports.ts'
export {
  alwaysCounted,
  noCalls,
  rateOf,
  type RateState,
  type RateWindow,
  type CallTally,
} from './verdict/authorization/rates.ts'
export { reason, quoted } from './verdict/authorization/reason.ts'
export { combineAnswers, evaluatorError, warningsOf } from './verdict/authorization/combine.ts'
export { SubagentsConfig } from './verdict/children/config.ts'
export { readsArguments } from './verdict/children/verdict.ts'
export { approvalId, approvalTimer } from './verdict/approval/event.ts'
export { setKey } from './verdict/loop/keys.ts'
export { LoopConfig } from './verdict/loop/config.ts'
export { modelOf, seesImages, summaryModelOf } from './asked-model.ts'
export { ContextConfig, defaultContext, marksOf, windowOf } from './verdict/context/config.ts'
export { Moment, RoomCut, RoomMeasure } from './room-measure.ts'
export { bptOf, isNearRelief, keptCut } from './verdict/context/room.ts'
export { imageHeadOf } from './image/header.ts'
export {
  type ImageRefusal,
  imageRefusals,
  readImage,
  type SaidOfImage,
} from './image/read-image.ts'
export { imageBytesIn, imageTokens } from './image/weight.ts'
export { imageWords, leftOutWords, partWords } from './image/words.ts'
export { promptImages } from './image/prompt-images.ts'
export { bytesPerToken, tokensOf } from './token-size.ts'
export {
  clearRule,
  type ClearRule,
  earlyReliefOf,
  isOverflow,
  isRefusedForImages,
  marksAfter,
} from './verdict/context/verdict.ts'
export { Budget } from './budget.ts'
export { lowered } from './verdict/budget/inherit.ts'
export { costOf } from './verdict/budget/verdict.ts'
export {
  type BannedTermsSpec,
  type ErrorRecoverySpec,
  type GuardAction,
  type PatternsSpec,
  type PiiEntity,
  type PiiSpec,
  type SecretsSpec,
  StreamGuardSpec,
} from './verdict/stream/spec.ts'
export { boundedRedactions } from './verdict/stream/event.ts'
export { mayAskAPerson } from './verdict/authorization/may-ask.ts'
export { MissedRecall } from './missed-recall.ts'
export { explainRun } from './explanation/explain-run.ts'
export { ExplainedCall, RunExplanation } from './explanation/document.ts'
export { explanationPage } from './explanation/page.ts'
export type { Explainable } from './explanation/place.ts'
export { SandboxEgress, SandboxEnd, SandboxReport } from './sandbox.ts'
export { FileChange, FileChanges, FileManifest } from './workspace/file-change.ts'
export {
  type FileEvent,
  foldFiles,
  clearWay,
  type FileTree,
  type TreeEdit,
  type TreeFile,
} from './workspace/tree.ts'
export { type NetChange, netChanges } from './workspace/net.ts'
export { unawaited } from './unawaited.ts'
