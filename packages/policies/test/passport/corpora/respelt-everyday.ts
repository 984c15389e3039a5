/** What people type all day, near the spellings by which a list of allowed programs is left. */
export const respeltEveryday: readonly string[] = String.raw`
wc -l *
git add *
ls -d *
ls *
du -sh * | sort -h
cat *
rm -rf ./dist/*
rm -rf dist/*
seq 1 3 | xargs -I{} echo {}
make CFLAGS=-O2
awk '{ print > "/dev/stderr" }' notes.txt
git add src/{a,b}.ts
git ls-files | xargs tar -cf x.tar --
tar -czf x.tgz ./*
tar -czf x.tgz src*
tar -czf x.tgz -- *
gcc ./*.c -o app
sed -i 's/a/b/' ./*.ts
sed -i 's/a/b/' src/*.ts
grep -rlZ foo src | xargs -0 sed -i 's/a/b/'
find src -name '*.ts' -print0 | xargs -0 sed -i 's/a/b/'
find . -name *.ts
find "src/§name" -type f
make -j§(uname)
make -j§n
make §TARGET
for d in packages/*; do make -C "§d" test; done
ver=§(cat VERSION); git push origin "v§ver"
sed -n "§{a},§{b}p" f
n=5; sed -n "§{n}p" f
make release VERSION=v1.2
tar --exclude=*.o -cf x.tar src
npm -- test
for f in ./*.ts; do sed -n 1p "§f"; done
for f in src/*.ts; do sed -i s/a/b/ "§f"; done
for f in *.log; do mv "§f" "old-§f"; done
for f in *.log; do cp "§f" "§f.bak"; done
npm run "§task"
curl -s "§URL/health"
curl -d "§(cat body.json)" https://x.example
rg "§pattern" src
tar -C "§dir" -xf x.tar
find . -exec tar -rf x.tar {} +
find src -print0 | xargs -0 tar -cf x.tar
make -sj4 all
make -C docs -s html
make -k test
git diff -- *.ts
git push origin v§version
git fetch origin "§(git branch --show-current)"
git log --since="§(date +%F)"
git checkout §(git rev-parse --short HEAD)
git grep -n -e foo -e bar
git rebase -i HEAD~2
git clone -q -b main https://github.com/acme/site.git
git commit -qm "Say -O and -x"
git merge -m "Merge x" --no-ff fix/x
git log -n5 -SparseConfig
tar xzf a.tgz
tar cvfz a.tgz dist
tar -xvzf a.tgz
tar -tvf a.tar
curl -sSfL https://example.com -o page.html
curl -sfLo page.html https://example.com
curl -k4 https://example.com
npm run build --silent
npm --silent run build
npm -s test
npm --prefer-offline ci
npm i -D vitest
npm t
npm config list
npm create -y
npm run exec
npm view x versions --json
npm audit fix
cargo -q test
cargo --locked build
go run . serve
go env GOPATH
go test -run TestX ./...
pip install -r requirements.txt -c constraints.txt
pip install -q requests
man -k printf
zip -qr x.zip dist
cat data.json | python3 -m json.tool
cat data.json | python3 -c 'import json, sys; print(json.load(sys.stdin))'
cat data.json | python3 script.py
cat data.json | python3 -u script.py --verbose
cat data.json | node -e 'process.stdin.pipe(process.stdout)'
cat data.json | node script.js
cat data.json | node --no-warnings script.js
python3 script.py < data.csv
node script.js < data.json
git status | head -n 5; node --experimental-strip-types script.ts
npm test 2>&1 | tail -n 5; python3 -X dev script.py
cat a | sort | uniq > b; node --inspect server.js
sed -n '/a/,+3p' f
sed '0~3d' f
sed -n '§=' f
sed ':a;N;§!ba;s/\n/ /g' f
sed 's|/usr|/opt|g;s/[[:space:]]*§//' f
sed '/^#/!s/foo/bar/' f
sed '/a/{n;d}' f
sed '1i # header' f
sed '/x/c new line' f
sed -E 's/([a-z]+)[0-9]/\1/Ig' f
sed -i.bak -e '5d' f
sed -ne 's/^a=//p' f
sed '1r header.txt' f
sed y/abc/ABC/ f
awk -F: -v OFS=, '{ print §1, §3 }' users.txt
awk '{ s += §1 } END { print s/NR }' data.txt
awk '{ print (§1 + §2) / 2 }' data.txt
awk '§1 > 3 && /foo|bar/ { n++ } END { print n }' data.txt
awk 'BEGIN { FS = "|" } { print §2 }' data.txt
awk '{ a[§1]++ } END { for (k in a) print k, a[k] }' data.txt
awk '/begin/{f=1} f; /end/{f=0}' notes.txt
awk 'NR==FNR{a[§1];next} §1 in a' a.txt b.txt
awk '{ printf "%s %d\n", §1, length(§2) }' data.txt
awk '{ gsub(/[^a-z|]/, ""); print }' data.txt
read -r a b < data.txt; echo "§a"
read -rp 'name: ' name; echo "§name"
printf "§format\n"
printf -v x '%s' y; echo "§x"
cat > notes.md <<EOF⏎text⏎EOF
cat > notes.md <<-END_OF.TEXT⏎	text⏎	END_OF.TEXT
cat > notes.md <<"EOF"⏎x §(y)⏎EOF
cat > notes.md <<\EOF⏎x §(y)⏎EOF
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replaceAll('§', '$').replaceAll('⏎', '\n'))
